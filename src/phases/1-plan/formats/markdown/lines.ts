/** A Markdown file line by line, so that a heading is told from a line of code that begins with #. */

export interface MarkdownLine {
  text: string
  /** In the file, from 1. */
  number: number
  /** It is in a code fence, or opens or closes one. */
  fenced: boolean
}

export interface MarkdownLines {
  lines: MarkdownLine[]
  /** Lines that look like the beginning of a code fence that nothing closes; what follows is read as if they were not there. */
  unclosed: number[]
}

/** A byte order mark and CRLF are no part of it. */
export function plainText(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
}

/** `firstLine`: where `text` begins in its file. */
export function markdownLines(text: string, firstLine = 1): MarkdownLines {
  const texts = text.split('\n')
  const found: MarkdownLines = { lines: [], unclosed: [] }
  const closings = closingsOf(texts)
  let until = -1
  for (const [index, line] of texts.entries()) {
    if (index > until) {
      const mark = openingMark(line)
      const closing = mark === null ? null : closings(mark, index)
      if (mark !== null && closing === null) found.unclosed.push(index + firstLine)
      if (closing !== null) until = closing
    }
    found.lines.push({ text: line, number: index + firstLine, fenced: index <= until })
  }
  return found
}

/** The run of ` or ~ that opens a fence; null: the line opens none. */
function openingMark(line: string): string | null {
  const [, mark, rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? []
  return mark === undefined || (mark.startsWith('`') && rest.includes('`')) ? null : mark
}

/** Finds the line that closes a fence. What was looked for in vain once is not looked for again: the work stays linear. */
function closingsOf(texts: readonly string[]): (mark: string, after: number) => number | null {
  const inVain = new Map<string, number>()
  return (mark, after) => {
    const kind = mark.slice(0, 1)
    if (mark.length >= (inVain.get(kind) ?? Number.POSITIVE_INFINITY)) return null
    for (let index = after + 1; index < texts.length; index += 1) {
      const [, closing = ''] = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(texts[index] ?? '') ?? []
      if (closing.startsWith(kind) && closing.length >= mark.length) return index
    }
    inVain.set(kind, mark.length)
    return null
  }
}
