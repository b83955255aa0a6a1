/** The door for YAML that others wrote: bounded size and aliases, no type beyond JSON's, and a line and column for every key. */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { messageOf } from './error.ts'

/** In characters. */
const longest = 1024 * 1024

/** From 1. */
export interface YamlPlace {
  line: number
  column: number
}

export type Yaml =
  | {
      ok: true
      /** As JSON has it: `yes` and dates are text, `1.0` is a number. */
      value: unknown
      /** The same with every scalar as it is written: `1.0` is `"1.0"`. */
      texts: unknown
      /** Where a key or an item stands; the nearest one above it that is there. */
      at: (path: readonly PropertyKey[]) => YamlPlace
    }
  | { ok: false; message: string; at: YamlPlace }

/** Reads one document. Never throws. `firstLine`: the line of the file that `text` begins in. */
export function readYaml(text: string, firstLine = 1): Yaml {
  const start = { line: firstLine, column: 1 }
  if (text.length > longest) return { ok: false, message: `longer than ${longest} characters`, at: start }
  const counter = new LineCounter()
  const placeOf = (offset: number): YamlPlace => {
    const { line, col } = counter.linePos(offset)
    return { line: line + firstLine - 1, column: col }
  }
  try {
    const document = parseDocument(text, { lineCounter: counter, schema: 'core', merge: false })
    const [broken] = document.errors
    if (broken !== undefined) {
      const [first = ''] = broken.message.split('\n')
      return { ok: false, message: first.replace(/ at line \d+, column \d+:?$/, ''), at: placeOf(broken.pos[0]) }
    }
    const { contents } = document
    return {
      ok: true,
      value: document.toJS({ maxAliasCount: 100 }),
      texts: parseDocument(text, { schema: 'failsafe', merge: false }).toJS({ maxAliasCount: 100 }),
      at: (path) => {
        const offset = offsetOf(contents, path)
        return offset === null ? start : placeOf(offset)
      },
    }
  } catch (error) {
    return { ok: false, message: messageOf(error), at: start }
  }
}

/** Where a key or an item stands in the text, or the nearest one above it; null: nowhere. */
export function offsetOf(node: Node | null, [key, ...rest]: readonly PropertyKey[]): number | null {
  if (key === undefined) return null
  if (isSeq(node)) {
    const item = node.items[Number(key)]
    return isNodeWithRange(item) ? (offsetOf(item, rest) ?? item.range[0]) : null
  }
  if (!isMap(node)) return null
  const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key))
  if (pair === undefined) return null
  const inner = isNodeWithRange(pair.value) ? offsetOf(pair.value, rest) : null
  return inner ?? (isNodeWithRange(pair.key) ? pair.key.range[0] : null)
}

function isNodeWithRange(value: unknown): value is Node & { range: [number, number, number] } {
  return typeof value === 'object' && value !== null && 'range' in value && Array.isArray(value.range)
}
