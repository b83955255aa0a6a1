/** The lines in which two texts differ; long equal stretches are folded. */
import { diffLines } from 'diff'
import { useMemo } from 'preact/hooks'
import type { PageFile } from '../../schemas/page.ts'
import { plural, visible } from '../words.ts'
import { scrolls } from './scrolls.ts'

const around = 3
const longest = 300_000

interface Piece {
  kind: 'same' | 'gone' | 'new' | 'gap'
  text: string
}

/** Of two files; of one that the page has cut only what is here is compared, which is said. */
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
  const pieces = useMemo(() => piecesOf(before, after), [before, after])
  if (before === after) return <p class="empty">{equal}</p>
  if (pieces === null) return <p class="empty">Too long to compare here.</p>
  return (
    <pre class="text diff" {...scrolls}>
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

function piecesOf(before: string, after: string): Piece[] | null {
  if (before.length + after.length > longest) return null
  const found = diffLines(visible(before), visible(after), { timeout: 1000 })
  return (
    found?.flatMap(({ added, removed, value }): Piece[] => {
      if (added) return [{ kind: 'new', text: value }]
      return removed ? [{ kind: 'gone', text: value }] : folded(value)
    }) ?? null
  )
}

function folded(text: string): Piece[] {
  const all = text.split('\n')
  const rest = all.length - 2 * around - 1
  if (rest < 2) return [{ kind: 'same', text }]
  return [
    { kind: 'same', text: `${all.slice(0, around).join('\n')}\n` },
    { kind: 'gap', text: `… ${plural(rest, 'equal line')} …\n` },
    { kind: 'same', text: all.slice(-around - 1).join('\n') },
  ]
}
