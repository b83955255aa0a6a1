/** Finds the tool calls of a run that match a check. */
import * as z from 'zod'
import type { CheckOf } from '../../../../../schemas/check.ts'
import type { TranscriptEvent } from '../../../../../schemas/transcript.ts'
import { runBounded } from '../../../../base/process/time_limited_worker.ts'
import type { CheckContext } from './check_input.ts'
import { capText } from './evidence.ts'

type ToolCall = Extract<TranscriptEvent, { type: 'tool_call' }>

export interface MatchedCalls {
  /** Lines for evidence: `transcript.jsonl:12: Bash {"command":"ls"}`. */
  meant: string[]
  /** Names of all called tools, each once. */
  tools: string[]
}

const indices = z.array(z.number())

/** A call counts whatever its result. `error`: a pattern cannot be evaluated. */
export async function findMatchedCalls(
  check: Pick<CheckOf<'tool_used'>, 'name' | 'input' | 'input_json'>,
  context: CheckContext,
): Promise<MatchedCalls | { error: string }> {
  const events = await context.events()
  const all = events.flatMap((event, index) => (event.type === 'tool_call' ? [{ call: event, line: index + 1 }] : []))
  const isNamed = nameMatcher(check.name)
  let meant = all.filter(({ call }) => isNamed(call.name))
  const tools = [...new Set(all.map(({ call }) => call.name))]
  for (const { pattern, textsOf } of listPatterns(check)) {
    const groups = meant.map(({ call }) => textsOf(call.input))
    const kept = await matchGroups(pattern, groups, context)
    if ('error' in kept) return kept
    meant = kept.flatMap((index) => meant[index] ?? [])
  }
  return {
    tools,
    meant: meant.map(({ call, line }) => `transcript.jsonl:${line}: ${call.name} ${formatCallInput(call)}`),
  }
}

/** Patterns for the input, each with the texts to match. */
function listPatterns({ input, input_json }: Pick<CheckOf<'tool_used'>, 'input' | 'input_json'>) {
  const asJson = (value: unknown) => [JSON.stringify(value)]
  return [
    ...(input === undefined ? [] : [{ pattern: input, textsOf: collectInputTexts }]),
    ...(input_json === undefined ? [] : [{ pattern: input_json, textsOf: asJson }]),
  ]
}

async function matchGroups(pattern: string, groups: string[][], context: CheckContext) {
  const end = await runBounded({ kind: 'matching', pattern, flags: '', groups }, indices, context.signal)
  return 'error' in end
    ? { error: `the pattern /${capText(pattern, 120)}/ could not be evaluated: ${end.error}` }
    : end.value
}

/** Ignores case, since engines spell tools differently; * matches any characters. Not a regular expression: many stars would backtrack. */
function nameMatcher(wanted: string): (name: string) => boolean {
  const [first = '', ...rest] = wanted.toLowerCase().split('*')
  const last = rest.pop()
  return (given) => {
    const name = given.toLowerCase()
    if (last === undefined) return name === first
    if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
    let at = first.length
    for (const part of rest) {
      const found = name.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return at <= name.length - last.length
  }
}

/** Every text and number at any depth; for a list also its items joined by spaces. */
function collectInputTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)]
  if (value === null || typeof value !== 'object') return []
  const inner = Object.values(value).flatMap(collectInputTexts)
  return Array.isArray(value) ? [...inner, inner.join(' ')] : inner
}

function formatCallInput({ input }: ToolCall): string {
  return capText(JSON.stringify(input), 160)
}
