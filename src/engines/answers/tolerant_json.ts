/** Parses JSON as models write it: comments, trailing commas, other quotes, Python's literals. It completes and guesses nothing. */
import { type Expression, type Property, parseExpressionAt } from 'acorn'
import { errorMessage } from '../../base/errors/error.ts'
import { canonicalJson } from '../../base/json/json.ts'
import { isTooDeep, tooDeepText } from '../../base/json/nesting_depth.ts'

/** An object or list in a text. `source`: with line breaks in strings escaped, plain quotation marks, and without comments. */
export interface JsonSpan {
  /** Just behind its last bracket. */
  end: number
  source: string
}

/** What closes a string; a backslash escapes it, except that nothing is escaped between typographic quotation marks. */
const closingQuotes: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '”', '‘': '’' }

/** The object or list that opens at `start`; null: it never closes. */
export function scanJsonSpan(text: string, start: number): JsonSpan | null {
  let depth = 0
  let source = ''
  for (let at = start; at < text.length; ) {
    const next = readToken(text, at)
    source += next.source
    at = next.end
    if (next.source === '{' || next.source === '[') depth += 1
    else if (next.source === '}' || next.source === ']') depth -= 1
    if (depth === 0) return { end: at, source }
  }
  return null
}

/** A string, a comment (as a space) or one character. */
function readToken(text: string, at: number): JsonSpan {
  const character = text[at] ?? ''
  const closing = closingQuotes[character]
  if (closing !== undefined) return readString(text, at, closing)
  const comment = commentAt(text, at)
  return comment === null ? { end: at + 1, source: character } : { end: comment, source: ' ' }
}

/** Where the comment ends that begins here; null: there is none. */
function commentAt(text: string, at: number): number | null {
  if (text.startsWith('/*', at)) return endAfter(text, '*/', at + 2)
  return text.startsWith('//', at) || text[at] === '#' ? endAfter(text, '\n', at) : null
}

function endAfter(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found < 0 ? text.length : found + mark.length
}

function readString(text: string, start: number, closing: string): JsonSpan {
  const quote = closing === "'" ? "'" : '"'
  let source = quote
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === closing) return { end: at + 1, source: `${source}${quote}` }
    if (character === '\\') {
      source += escapePair(text[at + 1] ?? '')
      at += 1
    } else source += character === quote ? `\\${quote}` : (lineBreaks[character] ?? character)
  }
  return { end: text.length, source }
}

const lineBreaks: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r' }

/** JSON has no other escapes: a backslash in front of anything else, as in a Windows path or a pattern, stands for itself. */
function escapePair(character: string): string {
  return /["'\\/bfnrtu]/.test(character) ? `\\${character}` : `\\\\${lineBreaks[character] ?? character}`
}

export type ParsedJson = { value: unknown } | { problem: string }

/** The value of a span's source. Problems: a mistake in its form, a word that is not a value, a name with two values. */
export function parseTolerantJson(source: string): ParsedJson {
  try {
    const value = toValue(parseExpressionAt(source, 0, { ecmaVersion: 2023 }))
    return isTooDeep(value) ? { problem: `it is ${tooDeepText}` } : { value }
  } catch (error) {
    const message = errorMessage(error)
    const isDeep = error instanceof RangeError || message.includes('stack space')
    return { problem: isDeep ? `it is ${tooDeepText}` : message.replace(/ \(\d+:\d+\)$/, '') }
  }
}

/** The value of a text that is one object or list and nothing else. */
export function parseTolerantText(text: string): ParsedJson {
  const trimmed = text.trim()
  const span = /^[[{]/.test(trimmed) ? scanJsonSpan(trimmed, 0) : null
  return span?.end === trimmed.length ? parseTolerantJson(span.source) : { problem: 'it is not one object or list' }
}

const words: Readonly<Record<string, boolean | null>> = { True: true, False: false, None: null }

function toValue(node: Expression): unknown {
  switch (node.type) {
    case 'ObjectExpression':
      return toObject(node.properties.map(toEntry))
    case 'ArrayExpression':
      return node.elements.map((one) => {
        if (one === null || one.type === 'SpreadElement') throw new Error('a list has an empty or unreadable entry')
        return toValue(one)
      })
    case 'Literal':
      if (node.value === null && node.raw !== 'null') break // a regular expression
      if (typeof node.value === 'bigint' || node.value instanceof RegExp) break
      return node.value
    case 'UnaryExpression': {
      const number = node.operator === '-' ? toValue(node.argument) : null
      if (typeof number === 'number') return -number
      break
    }
    case 'Identifier':
      if (Object.hasOwn(words, node.name)) return words[node.name]
      throw new Error(`${node.name} is not a value of JSON`)
    default:
      break
  }
  throw new Error('it contains something that is not JSON')
}

function toEntry(property: Property | { type: 'SpreadElement' }): [string, unknown] {
  if (property.type === 'SpreadElement' || property.kind !== 'init' || property.computed || property.shorthand) {
    throw new Error('a name has no value')
  }
  const { key } = property
  if (key.type === 'Identifier') return [key.name, toValue(property.value)]
  if (key.type === 'Literal') return [String(key.value), toValue(property.value)]
  throw new Error('a name is not text')
}

/** JSON.parse would keep the last of several values, which may be the opposite of the first. */
function toObject(entries: readonly [string, unknown][]): unknown {
  const values = new Map<string, unknown>()
  for (const [name, value] of entries) {
    if (values.has(name) && canonicalJson(values.get(name)) !== canonicalJson(value)) {
      throw new Error(`"${name.slice(0, 60)}" occurs twice in an object, with different values`)
    }
    values.set(name, value)
  }
  return Object.fromEntries(values)
}
