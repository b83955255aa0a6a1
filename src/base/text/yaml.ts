/** Reads YAML: bounded size and aliases, merge keys, only JSON's types, and a line and column for every key. */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { errorMessage, UserError } from '../errors/error.ts'

const longest = 1024 * 1024

/** From 1. */
export interface YamlPlace {
  line: number
  column: number
}

export type Yaml =
  | {
      ok: true
      /** As in JSON: `yes` and dates are text, `1.0` is a number. */
      value: unknown
      /** The same value with every scalar as written: `1.0` is `"1.0"`. */
      texts: unknown
      /** The place of a key or an item, or of its nearest existing parent. */
      at: (path: readonly PropertyKey[]) => YamlPlace
    }
  | { ok: false; message: string; at: YamlPlace }

/** Reads one document. Never throws. `firstLine`: the line of the file where `text` begins. */
export function readYaml(text: string, firstLine = 1): Yaml {
  const start = { line: firstLine, column: 1 }
  if (text.length > longest) return { ok: false, message: `longer than ${longest} characters`, at: start }
  const counter = new LineCounter()
  const placeOf = (offset: number): YamlPlace => {
    const { line, col } = counter.linePos(offset)
    return { line: line + firstLine - 1, column: col }
  }
  if (isDeep(text)) return { ok: false, message: tooDeep, at: start }
  try {
    const document = parseDocument(text, { lineCounter: counter, schema: 'core', merge: true })
    const [broken] = document.errors
    if (broken !== undefined) {
      if (broken.message.startsWith('Maximum call stack')) return { ok: false, message: tooDeep, at: start }
      const [first = ''] = broken.message.split('\n')
      return { ok: false, message: first.replace(/ at line \d+, column \d+:?$/, ''), at: placeOf(broken.pos[0]) }
    }
    const { contents } = document
    const odd = oddKey(contents, document)
    if (odd !== null) return { ok: false, message: 'a key must be text', at: placeOf(odd) }
    return {
      ok: true,
      value: document.toJS({ maxAliasCount: 100 }),
      texts: writtenValue(contents, document),
      at: (path) => {
        const offset = findYamlOffset(contents, path)
        return offset === null ? start : placeOf(offset)
      },
    }
  } catch (error) {
    return { ok: false, message: error instanceof RangeError ? tooDeep : errorMessage(error), at: start }
  }
}

const tooDeep = 'nested too deeply, or an anchor that contains itself'
const levels = 1000

/** Counts nested brackets, dashes and question marks: the parser takes a second for each few thousand levels. */
function isDeep(text: string): boolean {
  if (/^[ \t]*(?:[-?][ \t]+){200}/m.test(text)) return true
  let open = 0
  for (const [sign] of text.matchAll(/[[\]{}]/g)) {
    open = sign === '[' || sign === '{' ? open + 1 : Math.max(0, open - 1)
    if (open > levels) return true
  }
  return false
}

/** The offset of a key that is a list or a map; null: none. Its name would be its text, and each level of keys in keys doubles the time. */
function oddKey(node: unknown, document: Document.Parsed): number | null {
  if (isSeq(node)) return firstOffset(node.items, (item) => oddKey(item, document))
  if (!isMap(node)) return null
  return firstOffset(node.items, ({ key, value }) => {
    const named = isAlias(key) ? key.resolve(document) : key
    if (isNodeWithRange(key) && (isMap(named) || isSeq(named))) return key.range[0]
    return oddKey(value, document)
  })
}

function firstOffset<T>(items: readonly T[], of: (item: T) => number | null): number | null {
  for (const item of items) {
    const found = of(item)
    if (found !== null) return found
  }
  return null
}

/** A node with every scalar as written. Aliases resolve as in `value`, where they were already counted. */
function writtenValue(node: unknown, document: Document.Parsed): unknown {
  if (isAlias(node)) return writtenValue(node.resolve(document), document)
  if (isMap(node)) {
    const entries: [string, unknown][] = []
    for (const { key, value } of node.items) {
      const written = writtenValue(value, document)
      if (!isScalar(key) || typeof key.value !== 'symbol') entries.push([String(writtenValue(key, document)), written])
      // a merge key (<<): what it adds comes before own keys, and its first map last, so that those win
      else for (const source of [written].flat()) entries.unshift(...Object.entries(Object(source)))
    }
    return Object.fromEntries(entries)
  }
  if (isSeq(node)) return node.items.map((item) => writtenValue(item, document))
  return isScalar(node) ? (node.source ?? '') : null
}

/** The offset of a key or an item in the text, or of its nearest existing parent; null: none. */
function findYamlOffset(node: Node | null, [key, ...rest]: readonly PropertyKey[]): number | null {
  if (key === undefined) return null
  if (isSeq(node)) {
    const item = node.items[Number(key)]
    return isNodeWithRange(item) ? (findYamlOffset(item, rest) ?? item.range[0]) : null
  }
  if (!isMap(node)) return null
  const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key))
  if (pair === undefined) return null
  const inner = isNodeWithRange(pair.value) ? findYamlOffset(pair.value, rest) : null
  return inner ?? (isNodeWithRange(pair.key) ? pair.key.range[0] : null)
}

function isNodeWithRange(value: unknown): value is Node & { range: [number, number, number] } {
  return typeof value === 'object' && value !== null && 'range' in value && Array.isArray(value.range)
}

/** The first entry that matches the message applies. */
const yamlFixes: readonly { form: RegExp; fix: string }[] = [
  { form: /^Map keys must be unique/, fix: 'remove one of the lines with this key' },
  { form: /\btabs?\b/i, fix: 'indent with spaces' },
  { form: /another document$/, fix: 'remove the line, or quote the value that it is a part of' },
  { form: /^Missing closing/, fix: 'close the quote' },
  {
    form: /^Nested mappings|implicit (?:map )?key/i,
    fix: 'quote values that contain ": ", and write each key: value on its own line',
  },
  { form: /alias|anchor/i, fix: 'quote values that begin with * or &' },
  { form: /^Plain value cannot start/, fix: 'quote the value' },
  { form: /sufficiently indented and end with/, fix: 'close the bracket, or quote the value' },
  {
    form: /must start at the same column/,
    fix: 'give keys of one level the same indent, or quote values that contain ": "',
  },
]

export function yamlFix(message: string): string {
  return yamlFixes.find(({ form }) => form.test(message))?.fix ?? 'fix the syntax there, or quote the value'
}

/** A file of the user's own. Throws UserError with the place of a mistake. */
export function parseYamlFile(text: string, file: string): Extract<Yaml, { ok: true }> {
  const yaml = readYaml(text)
  if (yaml.ok) return yaml
  const { line, column } = yaml.at
  throw new UserError(`${file}:${line}:${column}: not valid YAML: ${yaml.message}`, yamlFix(yaml.message))
}
