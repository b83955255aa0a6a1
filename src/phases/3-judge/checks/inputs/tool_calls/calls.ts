/** Finds the tool calls of a run that match a check. */
import type { CallParameters } from '../../../../../../schemas/checks/tool_calls.ts'
import type { TranscriptEvent } from '../../../../../../schemas/transcript.ts'
import { canonicalJson } from '../../../../../base/json/json.ts'
import { findMatchingGroups } from '../../../../../base/process/find_pattern.ts'
import type { CheckContext } from '../check_input.ts'
import { capText, describeUnfinished } from '../check_input.ts'

export interface PlacedCall {
  call: Extract<TranscriptEvent, { type: 'tool_call' }>
  line: number
}

export interface MatchedCalls {
  /** Lines for evidence: `transcript.jsonl:12: Bash {"command":"ls"}`. */
  meant: string[]
  /** Names of all called tools, each once. */
  tools: string[]
}

export async function listCalls(context: CheckContext): Promise<PlacedCall[]> {
  const events = await context.events()
  return events.flatMap((event, index) => (event.type === 'tool_call' ? [{ call: event, line: index + 1 }] : []))
}

/** A call counts whatever its result. `error`: a pattern cannot be evaluated. */
export async function findMatchedCalls(
  check: CallParameters,
  context: CheckContext,
): Promise<MatchedCalls | { error: string }> {
  const all = await listCalls(context)
  const meant = await selectCalls(check, all, context)
  if ('error' in meant) return meant
  return { tools: [...new Set(all.map(({ call }) => call.name))], meant: meant.map(formatCall) }
}

export async function selectCalls(
  check: CallParameters,
  all: readonly PlacedCall[],
  context: CheckContext,
): Promise<PlacedCall[] | { error: string }> {
  const matchers = [check.name].flat().map(nameMatcher)
  let meant = all.filter(({ call }) => matchers.some((isNamed) => isNamed(call.name)) && hasArgs(call.input, check))
  for (const { pattern, textsOf } of listPatterns(check)) {
    const groups = meant.map(({ call }) => textsOf(call.input))
    const kept = await matchGroups(pattern, groups, context)
    if ('error' in kept) return kept
    meant = kept.flatMap((index) => meant[index] ?? [])
  }
  return meant
}

/** For example: transcript.jsonl:12: Bash {"command":"ls"}. */
export function formatCall({ call, line }: PlacedCall): string {
  return `transcript.jsonl:${line}: ${call.name} ${capText(JSON.stringify(call.input), 160)}`
}

function hasArgs(input: unknown, { args }: CallParameters): boolean {
  if (args === undefined) return true
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return false
  const given = new Map<string, unknown>(Object.entries(input))
  return Object.entries(args).every(
    ([name, value]) => given.has(name) && canonicalJson(given.get(name)) === canonicalJson(value),
  )
}

function listPatterns({ input, input_json }: CallParameters) {
  const asJson = (value: unknown) => [JSON.stringify(value)]
  return [
    ...(input === undefined ? [] : [{ pattern: input, textsOf: collectInputTexts }]),
    ...(input_json === undefined ? [] : [{ pattern: input_json, textsOf: asJson }]),
  ]
}

async function matchGroups(pattern: string, groups: string[][], context: CheckContext) {
  const end = await findMatchingGroups({ pattern }, groups, context.signal)
  return 'error' in end ? describeUnfinished(`the pattern /${capText(pattern, 120)}/`, end) : end.value
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
