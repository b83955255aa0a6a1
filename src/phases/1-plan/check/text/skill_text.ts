/** Splits a SKILL.md into keys with their lines, YAML mistakes and the body, for the rules. Never throws. */
import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml'
import { errorMessage } from '../../../../base/errors/error.ts'
import { plainValue } from '../../skill/frontmatter_mistakes.ts'

export interface FrontmatterEntry {
  value: unknown
  /** Line in the file, from 1. */
  line: number
  /** The value (null here) is unknown because of a YAML mistake. */
  isUnknown?: true
}

export interface SkillText {
  /** Name of the skill's folder. */
  folder: string
  hasFrontmatter: boolean
  /** The frontmatter begins, but no second line `---` ends it. */
  isUnclosed: boolean
  /** Kind of a frontmatter that is not a mapping; null: a mapping, or empty. */
  otherThanMap: 'a list' | 'a text' | null
  /** One per line, because one mistake causes others. `isIndent`: lines of one level may begin at different columns. */
  mistakes: { message: string; line: number; isIndent?: true }[]
  entries: ReadonlyMap<string, FrontmatterEntry>
  /** Lines after the frontmatter. */
  body: readonly string[]
  /** Line of the body's first line, from 1. */
  bodyLine: number
}

export function openSkillText(text: string, folder: string): SkillText {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
  const isMark = (line: string | undefined) => line !== undefined && /^---[ \t]*$/.test(line)
  const end = isMark(lines[0]) ? lines.findIndex((line, index) => index > 0 && isMark(line)) : -1
  if (end < 0) {
    const none = { hasFrontmatter: false, otherThanMap: null, mistakes: [], entries: new Map() }
    return { folder, ...none, isUnclosed: isMark(lines[0]), body: lines, bodyLine: 1 }
  }
  const block = readBlock(lines.slice(1, end))
  return { folder, hasFrontmatter: true, isUnclosed: false, ...block, body: lines.slice(end + 1), bodyLine: end + 2 }
}

type Block = Pick<SkillText, 'otherThanMap' | 'mistakes' | 'entries'>

function readBlock(lines: readonly string[]): Block {
  const counter = new LineCounter()
  const document = parseDocument(lines.join('\n'), { lineCounter: counter })
  const lineOf = (offset: number) => counter.linePos(offset).line + 1
  const found = document.errors.map(({ code, message, pos }) => ({
    code,
    message: plainWords(message),
    line: lineOf(pos[0]),
  }))
  const overLines = new Set(found.flatMap(({ code, line }) => (code === 'MULTILINE_IMPLICIT_KEY' ? [line] : [])))
  const mistakes = found
    .filter(({ line }, index) => found.findIndex((one) => one.line === line) === index)
    .map(({ code, message, line }) => {
      const isIndent = code === 'BAD_INDENT' || (code === 'BLOCK_AS_IMPLICIT_KEY' && overLines.has(line))
      return { message, line, ...(isIndent && { isIndent: true as const }) }
    })
  if (mistakes.length > 0) return { otherThanMap: null, mistakes, entries: plainEntries(lines) }
  const { contents } = document
  if (!isMap(contents)) return { otherThanMap: otherThanMap(contents), mistakes, entries: new Map() }
  const values = readYamlValues(document)
  if ('error' in values) {
    const line = lineOf(firstUnresolved(document))
    return { otherThanMap: null, mistakes: [{ message: values.error, line }], entries: plainEntries(lines) }
  }
  const entries = contents.items.flatMap(({ key }): [string, FrontmatterEntry][] => {
    if (!isScalar(key)) return []
    const name = String(key.value)
    return [[name, { value: values.byName.get(name), line: lineOf(key.range?.[0] ?? 0) }]]
  })
  return { otherThanMap: null, mistakes, entries: new Map(entries) }
}

/** Drops the parts of the parser's message that address code calling the parser. */
function plainWords(message: string): string {
  const [first = message] = message.split('\n')
  return first
    .replace(/ at line \d+, column \d+:?$/, '')
    .replace(/^Source contains multiple documents;.*/, 'a line "---" or "..." begins another document')
}

function otherThanMap(contents: unknown): SkillText['otherThanMap'] {
  if (contents === null || (isScalar(contents) && contents.value === null)) return null
  return isSeq(contents) ? 'a list' : 'a text'
}

/** `error`: a value such as `*this*` refers to a missing anchor, or there are too many aliases. */
function readYamlValues(document: Document): { byName: Map<string, unknown> } | { error: string } {
  try {
    const values: unknown = document.toJS()
    return { byName: new Map(typeof values === 'object' && values !== null ? Object.entries(values) : []) }
  } catch (error) {
    return { error: errorMessage(error) }
  }
}

/** Offset of the first alias without an anchor; 0: all have one. */
function firstUnresolved(document: Document): number {
  let offset = 0
  visit(document, {
    Alias(_, node) {
      if (node.resolve(document) !== undefined) return undefined
      offset = node.range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return offset
}

/** Reads lines of the form `key: value`. */
function plainEntries(lines: readonly string[]): Map<string, FrontmatterEntry> {
  const found = lines.flatMap((line, index): [string, FrontmatterEntry][] => {
    const [, key, text = ''] = /^([\w-]+):(.*)$/.exec(line) ?? []
    if (key === undefined) return []
    const value = plainValue(text)
    return [[key, { value: value || null, line: index + 2, ...(value === null ? { isUnknown: true } : {}) }]]
  })
  return new Map(found)
}
