/** Finds the structured answer in free text: the last JSON object, with or without a code fence around it. */
import { tryParseJson } from '../../base/json/json.ts'

/** How many characters at the end of the text are searched. */
const searchedLength = 1_000_000
/** The most steps of a search: braces that never close would make it quadratic. */
const maxSearchSteps = 50_000_000

/** The last outermost object in the text that parses; undefined if there is none. */
export function lastJsonObject(text: string): unknown {
  const part = text.slice(-searchedLength)
  let last: unknown
  let steps = 0
  let start = part.indexOf('{')
  while (start >= 0 && steps < maxSearchSteps) {
    const end = closingBrace(part, start)
    steps += (end ?? part.length) - start
    const value = end === null ? undefined : tryParseJson(part.slice(start, end + 1))
    if (value !== undefined) last = value
    start = part.indexOf('{', value === undefined || end === null ? start + 1 : end + 1)
  }
  return last
}

/** Where the object that opens at `start` closes; null if what follows is not JSON or never closes. */
function closingBrace(text: string, start: number): number | null {
  if (!/["}\s]/.test(text[start + 1] ?? '')) return null
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') at = closingQuote(text, at)
    else if (character === '{') depth += 1
    else if (character === '}') depth -= 1
    if (depth === 0) return at
  }
  return null
}

function closingQuote(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at
  }
  return text.length
}

/** The prompt with the schema in it, for an agent that has no structured answers. */
export function withSchema(prompt: string, schema: Readonly<Record<string, unknown>>): string {
  return `${prompt}\n\nEnd your answer with one JSON object that fits this JSON Schema, and write nothing after it:\n${JSON.stringify(schema)}\n`
}
