/** Parses JSON as models write it: comments, trailing commas, other quotes, Python's literals. It completes and guesses nothing. */
import { canonicalJson } from '../../base/json/json.ts'
import { isTooDeep, tooDeepText } from '../../base/json/json_text.ts'

export type ParsedJson = { value: unknown } | { problem: string }

/** A backslash escapes what closes a string. */
const strings = ['""', "''", '“”', '‘’'].map(
  ([open, close]) => `${open}[^${close}\\\\]*(?:\\\\.[^${close}\\\\]*)*${close}`,
)
const comments = ['/\\*.*?(?:\\*/|$)', '(?://|#)[^\\n]*']
const token = new RegExp([...strings, ...comments, '[\\p{L}\\p{N}_$.+-]+', '.'].join('|'), 'gsu')

const words: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' }

/** The object or list that opens at `start`, and where it ends (just behind its last bracket); null: it never closes. */
export function parseTolerantSpan(text: string, start: number): { end: number; parsed: ParsedJson } | null {
  const parts: string[] = []
  let depth = 0
  token.lastIndex = start
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [part] = found
    if (/^(?:\s|\/[/*]|#)/.test(part)) continue
    if (/^["'“‘]$/.test(part)) return null // a string that is not closed
    if (part === ':') parts.push(toNumberedName(parts.pop() ?? '', parts.length))
    if (/^[}\]]/.test(part) && parts.at(-1) === ',' && !/^[[{]/.test(parts.at(-2) ?? '')) parts.pop()
    parts.push(toJsonPart(part))
    if (part === '{' || part === '[') depth += 1
    else if (part === '}' || part === ']') depth -= 1
    if (depth === 0) return { end: token.lastIndex, parsed: parseParts(parts) }
  }
  return null
}

/** The value of a text that is one object or list and nothing else. */
export function parseTolerantText(text: string): ParsedJson {
  const trimmed = text.trim()
  const span = /^[[{]/.test(trimmed) ? parseTolerantSpan(trimmed, 0) : null
  return span?.end === trimmed.length ? span.parsed : { problem: 'it is not one object or list' }
}

/** JSON has no other escapes: a backslash in front of anything else, as in a Windows path or a pattern, stands for itself. */
function toJsonPart(part: string): string {
  if (!/^["'“‘]/.test(part)) return words[part] ?? part
  const inner = part.slice(1, -1).replace(/\\(.)|["\p{Cc}]/gsu, (found, escaped?: string) => {
    if (escaped === "'") return escaped
    return /^["\\/bfnrtu]$/.test(escaped ?? '') ? found : JSON.stringify(found).slice(1, -1)
  })
  return `"${inner}"`
}

/** The number makes each name a different one, because JSON.parse would keep the last value of a name. */
function toNumberedName(name: string, number: number): string {
  if (name.startsWith('"')) return `"${number}:${name.slice(1)}`
  return /^[\p{L}\p{N}_$]+$/u.test(name) ? `"${number}:${name}"` : name
}

function parseParts(parts: readonly string[]): ParsedJson {
  let numbered: unknown
  try {
    numbered = JSON.parse(parts.join(' '))
  } catch {
    const word = parts.find((part) => /^[\p{L}_$]/u.test(part) && !/^(?:true|false|null)$/.test(part))
    return { problem: word === undefined ? 'it is not valid JSON' : `${word.slice(0, 60)} is not a value of JSON` }
  }
  if (isTooDeep(numbered)) return { problem: `it is ${tooDeepText}` }
  const twice: string[] = []
  const value = withoutNumbers(numbered, twice)
  const [name] = twice
  return name === undefined
    ? { value }
    : { problem: `"${name.slice(0, 60)}" occurs twice in an object, with different values` }
}

/** Adds names with two values to `twice`: the second may be the opposite of the first. */
function withoutNumbers(value: unknown, twice: string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutNumbers(one, twice))
  if (typeof value !== 'object' || value === null) return value
  const values = new Map<string, unknown>()
  for (const [numbered, inner] of Object.entries(value)) {
    const name = numbered.slice(numbered.indexOf(':') + 1)
    const one = withoutNumbers(inner, twice)
    if (values.has(name) && canonicalJson(values.get(name)) !== canonicalJson(one)) twice.push(name)
    values.set(name, one)
  }
  return Object.fromEntries(values)
}
