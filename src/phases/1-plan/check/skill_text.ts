/** A SKILL.md taken apart for its rules: each key with its line, the mistakes in the YAML, the body. Nothing in it throws. */
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml'

export interface Entry {
  value: unknown
  /** In the file, from 1. */
  line: number
}

export interface SkillText {
  /** The folder's name. */
  folder: string
  hasFrontmatter: boolean
  mistakes: { message: string; line: number }[]
  entries: ReadonlyMap<string, Entry>
  /** What follows the frontmatter, line by line. */
  body: readonly string[]
  /** Line of the body's first line. */
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
    return { folder, hasFrontmatter: false, mistakes: [], entries: new Map(), body: lines, bodyLine: 1 }
  }
  const block = readBlock(lines.slice(1, end))
  return { folder, hasFrontmatter: true, ...block, body: lines.slice(end + 1), bodyLine: end + 2 }
}

function readBlock(lines: readonly string[]): Pick<SkillText, 'mistakes' | 'entries'> {
  const counter = new LineCounter()
  const document = parseDocument(lines.join('\n'), { lineCounter: counter })
  const lineOf = (offset: number) => counter.linePos(offset).line + 1
  const mistakes = document.errors.map(({ message, pos }) => ({
    message: message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message,
    line: lineOf(pos[0]),
  }))
  if (mistakes.length > 0) return { mistakes, entries: plainEntries(lines) }
  if (!isMap(document.contents)) return { mistakes, entries: new Map() }
  const values: unknown = document.toJS()
  const byName = new Map(typeof values === 'object' && values !== null ? Object.entries(values) : [])
  const entries = document.contents.items.flatMap(({ key }): [string, Entry][] => {
    if (!isScalar(key)) return []
    const name = String(key.value)
    return [[name, { value: byName.get(name), line: lineOf(key.range?.[0] ?? 0) }]]
  })
  return { mistakes, entries: new Map(entries) }
}

/** `key: value` on lines of their own: what authors who never quote mean. */
function plainEntries(lines: readonly string[]): Map<string, Entry> {
  const found = lines.flatMap((line, index): [string, Entry][] => {
    const [, key, value] = /^([\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    return key === undefined ? [] : [[key, { value: value || null, line: index + 2 }]]
  })
  return new Map(found)
}
