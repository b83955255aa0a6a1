/** Finds the structured answer in free text: the last JSON object, with or without a code fence around it. */
import { jsonIn } from '../base/json.ts'

/** Characters at the end of the text in which the object is sought. */
const searched = 1_000_000
/** Steps that the search may take: braces that never close would make it quadratic. */
const patience = 50_000_000

/** The last outermost object in the text that parses; undefined when there is none. */
export function lastJsonObject(text: string): unknown {
  const part = text.slice(-searched)
  let last: unknown
  let steps = 0
  let start = part.indexOf('{')
  while (start >= 0 && steps < patience) {
    const end = closingBrace(part, start)
    steps += (end ?? part.length) - start
    const value = end === null ? undefined : jsonIn(part.slice(start, end + 1))
    if (value !== undefined) last = value
    start = part.indexOf('{', value === undefined || end === null ? start + 1 : end + 1)
  }
  return last
}

/** Where the object that opens at `start` closes; null when what comes is no JSON or never closes. */
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

/** The prompt for an agent that knows no structured answers: it is told the schema. */
export function withSchema(prompt: string, schema: Readonly<Record<string, unknown>>): string {
  return `${prompt}\n\nEnd your answer with one JSON object that fits this JSON Schema, and write nothing after it:\n${JSON.stringify(schema)}\n`
}
