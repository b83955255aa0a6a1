/** Splits Markdown into its frontmatter and lines, and marks code fences, so that a # in code does not count as a heading. */
import { readYaml, type YamlPlace } from '../../../../base/text/yaml.ts'
import { isJsonObject } from '../evals_json/fields.ts'

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

export interface MarkdownFront {
  /** JSON values. */
  fields: Readonly<Record<string, unknown>>
  texts: Readonly<Record<string, unknown>>
  at: (path: readonly PropertyKey[]) => YamlPlace
  /** false: the file has none. */
  isThere: boolean
  body: string
  /** Line of the body's first line, from 1. */
  bodyLine: number
}

export interface FrontMistake {
  message: string
  at: YamlPlace
}

const none = { fields: {}, texts: {}, at: () => ({ line: 1, column: 1 }), isThere: false }

/** Expects a text without byte order mark and CRLF. */
export function readFront(text: string): MarkdownFront | FrontMistake {
  const lines = text.split('\n')
  const isMark = (line: string | undefined) => line !== undefined && /^---[ \t]*$/.test(line)
  if (!isMark(lines[0])) return { ...none, body: text, bodyLine: 1 }
  const end = lines.findIndex((line, index) => index > 0 && isMark(line))
  if (end < 0) {
    return { message: 'the frontmatter that begins here is never closed by a line ---', at: { line: 1, column: 1 } }
  }
  const yaml = readYaml(lines.slice(1, end).join('\n'), 2)
  if (!yaml.ok) return { message: `the frontmatter is not valid YAML: ${yaml.message}`, at: yaml.at }
  const rest = { body: lines.slice(end + 1).join('\n'), bodyLine: end + 2, isThere: true }
  if (yaml.value === null) return { ...none, ...rest }
  if (!isJsonObject(yaml.value) || !isJsonObject(yaml.texts)) {
    return { message: 'the frontmatter must be fields of the form name: value', at: { line: 2, column: 1 } }
  }
  return { fields: yaml.value, texts: yaml.texts, at: yaml.at, ...rest }
}
