/** Splits Markdown into lines and marks code fences, so that a # in code does not count as a heading. */

export interface MarkdownLine {
  text: string
  /** Line in the file, from 1. */
  number: number
  /** In a code fence, or the line that opens or closes one. */
  fenced: boolean
}

export interface MarkdownLines {
  lines: MarkdownLine[]
  /** Lines that open a code fence which is never closed; the text after them is read as if there were no fence. */
  unclosed: number[]
}

/** Removes the byte order mark and converts CRLF. */
export function normalizeLineEnds(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
}

/** `firstLine`: line in the file where `text` begins. */
export function markdownLines(text: string, firstLine = 1): MarkdownLines {
  const texts = text.split('\n')
  const found: MarkdownLines = { lines: [], unclosed: [] }
  const closings = createClosingFinder(texts)
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

/** Finds the line that closes a fence. Remembers failed searches, so that the work stays linear. */
function createClosingFinder(texts: readonly string[]): (mark: string, after: number) => number | null {
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
