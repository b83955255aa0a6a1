/** Highlights comments, strings, numbers and keywords in code; small, and right for most languages. */
import { useMemo } from 'preact/hooks'
import { revealHidden } from '../../format.ts'
import { scrollable } from '../layout/focusable_scroll.ts'
import { Text } from './text.tsx'

const longest = 20_000
const hash = new Set(['py', 'sh', 'bash', 'rb', 'yaml', 'yml', 'toml', 'r', 'pl'])
const words =
  'and as async await break case catch class const continue def default del do elif else except export extends false finally fn for from func function if impl import in interface is lambda let match mut new nil None not null or package pass pub raise return self static struct super switch this throw trait True False true try type use var void while with yield SELECT FROM WHERE INSERT UPDATE DELETE CREATE TABLE JOIN'
const keywords = new Set(words.split(' '))
const plain = new Set(['', 'txt', 'log', 'text', 'out'])

export function Code({ text, language }: { text: string; language: string }) {
  const parts = useMemo(
    () => (plain.has(language) || text.length > longest ? null : tokens(revealHidden(text), language)),
    [text, language],
  )
  if (parts === null) return <Text text={text} />
  return (
    <pre class="text" {...scrollable}>
      {parts.map(({ kind, part }, index) =>
        kind === null ? (
          part
        ) : (
          <span key={`${index}`} class={`c-${kind}`}>
            {part}
          </span>
        ),
      )}
    </pre>
  )
}

interface Token {
  kind: 'comment' | 'text' | 'number' | 'word' | null
  part: string
}

function tokens(text: string, language: string): Token[] {
  const comment = hash.has(language) ? '#[^\\n]*' : '//[^\\n]*|/\\*[\\s\\S]*?\\*/|<!--[\\s\\S]*?-->'
  const scanner = new RegExp(
    `(?<comment>${comment})|(?<text>"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\`)|(?<number>\\b\\d[\\d_.]*\\b)|(?<word>\\b[A-Za-z]+\\b)`,
    'g',
  )
  const found: Token[] = []
  let from = 0
  const push = (part: string, kind: Token['kind']) => {
    const last = found.at(-1)
    if (part === '') return
    if (last !== undefined && last.kind === kind) last.part += part
    else found.push({ kind, part })
  }
  for (const hit of text.matchAll(scanner)) {
    const { comment: isComment, text: isText, number, word } = hit.groups ?? {}
    const kind = isComment
      ? 'comment'
      : isText
        ? 'text'
        : number
          ? 'number'
          : word && keywords.has(word)
            ? 'word'
            : null
    push(text.slice(from, hit.index), null)
    push(hit[0], kind)
    from = hit.index + hit[0].length
    if (found.length > 2000) break
  }
  push(text.slice(from), null)
  return found
}
