/** Shows the lines in which two texts differ; long equal stretches are folded. */
import { diffLines } from 'diff'
import { useMemo } from 'preact/hooks'
import type { PageFile } from '../../../schemas/page.ts'
import { displayPlural, revealHidden } from '../../format.ts'
import { scrollable } from '../layout/focusable_scroll.ts'

const contextLines = 3
const longest = 300_000

interface Piece {
  kind: 'same' | 'gone' | 'new' | 'gap'
  text: string
}

/** Compares two files; of a file that the page cuts, only the part in the page, with a note. */
export function FilesDiff({ before, after }: { before: PageFile; after: PageFile }) {
  if (before.sha256 !== null && before.sha256 === after.sha256) return <p class="empty">No difference.</p>
  if (before.left_out === null && after.left_out === null) return <Diff before={before.body} after={after.body} />
  return (
    <>
      <p class="hint">
        The page holds only the start of{' '}
        {before.left_out === null ? 'the second' : after.left_out === null ? 'the first' : 'both'}: what follows is not
        compared.
      </p>
      <Diff before={before.body} after={after.body} equal="No difference as far as the page holds them." />
    </>
  )
}

export function Diff({ before, after, equal = 'No difference.' }: { before: string; after: string; equal?: string }) {
  const pieces = useMemo(() => diffPieces(before, after), [before, after])
  if (before === after) return <p class="empty">{equal}</p>
  if (pieces === null) return <p class="empty">Too long to compare here.</p>
  return (
    <pre class="text diff" {...scrollable}>
      {pieces.map(({ kind, text }, index) => (
        <span key={`${index}`} class={kind}>
          {lines(kind, text)}
        </span>
      ))}
    </pre>
  )
}

const signs = { same: '  ', gone: '− ', new: '+ ', gap: '' } as const

function lines(kind: Piece['kind'], text: string): string {
  if (kind === 'gap') return text
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${signs[kind]}${line}\n`)
    .join('')
}

function diffPieces(before: string, after: string): Piece[] | null {
  if (before.length + after.length > longest) return null
  const found = diffLines(revealHidden(before), revealHidden(after), { timeout: 1000 })
  return (
    found?.flatMap(({ added, removed, value }): Piece[] => {
      if (added) return [{ kind: 'new', text: value }]
      return removed ? [{ kind: 'gone', text: value }] : foldPieces(value)
    }) ?? null
  )
}

function foldPieces(text: string): Piece[] {
  const all = text.split('\n')
  const rest = all.length - 2 * contextLines - 1
  if (rest < 2) return [{ kind: 'same', text }]
  return [
    { kind: 'same', text: `${all.slice(0, contextLines).join('\n')}\n` },
    { kind: 'gap', text: `… ${displayPlural(rest, 'equal line')} …\n` },
    { kind: 'same', text: all.slice(-contextLines - 1).join('\n') },
  ]
}
