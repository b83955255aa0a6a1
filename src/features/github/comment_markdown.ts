/** Markdown for a comment on GitHub. Text from outside stays text: no mention, link, reference, tag or table cell comes out of it. */
import { escapeMarkdown } from '../../phases/4-report/text/markdown.ts'

/** GitHub also turns bare addresses into links, and `#1`, `GH-1` into references that show up over there. */
export function escapeComment(text: string): string {
  return escapeMarkdown(text)
    .replaceAll('://', ':\u200B//')
    .replaceAll(/\b(www)\.(?=\S)/gi, '$1\u200B.')
    .replaceAll(/#(?=\d)/g, '#\u200B')
    .replaceAll(/\b(GH-)(?=\d)/gi, '$1\u200B')
}

export function commentTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeComment).join(' | ')} |`
  return [line(header), `|${' --- |'.repeat(header.length)}`, ...rows.map(line)]
}

/** GitHub counts characters. Bytes are never fewer, so this limit is safe. */
const longestBytes = 65_536

/**
 * The pieces in order, with `footer` at the end. Pieces that do not fit are left out whole, with a note: a table row is a piece, and so is a
 * folded section with its tags.
 */
export function fitPieces(pieces: readonly string[], footer: string, limit = longestBytes): string {
  const size = (text: string) => Buffer.byteLength(text) + 1
  const whole = [...pieces, footer].join('\n')
  if (Buffer.byteLength(whole) <= limit) return whole
  const note = `\n**Shortened to ${limit.toLocaleString('en-US')} characters. The report has the rest.**\n`
  let left = limit - size(footer) - size(note)
  const kept = pieces.filter((piece) => {
    if (size(piece) > left) return false
    left -= size(piece)
    return true
  })
  return [...kept, note, footer].join('\n')
}
