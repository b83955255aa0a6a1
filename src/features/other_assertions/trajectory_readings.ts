/** Maps trajectory checks of other tools (agentv, promptfoo) to Whetstone's checks with their parameters. */
import { canonicalJson } from '../../base/json/json.ts'
import { isJsonObject, readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import type { ForeignReading, TakeParameter } from './foreign_readings.ts'

type Step = string | { name: string; args: unknown }

/** Keyed by the foreign `type`: lower case, hyphens as underscores. */
export const trajectoryReadings = new Map<string, ForeignReading>([
  ...['tool_used', 'tool_called', 'uses_tool'].map((type) => [type, tool('tool_used')] as const),
  ...['tool_not_used', 'tool_not_called'].map((type) => [type, tool('tool_not_used')] as const),
  ['tool_trajectory', toolTrajectory],
  ['tool_order', toolOrder],
  ['tool_sequence', toolOrder],
  ['execution_metrics', executionMetrics],
  ['trajectory:tool_used', (take) => toolUsed(take('value'))],
  ['not_trajectory:tool_used', (take) => toolNotUsed(take('value'))],
  ['trajectory:tool_sequence', (take) => toolSequence(take('value'))],
  ['trajectory:tool_args_match', (take) => toolArgs(take('value'))],
  ['trajectory:step_count', (take) => stepCount(take('value'))],
  ['max_tool_calls', (take) => ({ type: 'tool_calls_at_most', value: take('value', 'max', 'threshold') })],
  ['tool_calls_at_most', (take) => ({ type: 'tool_calls_at_most', value: take('value', 'max', 'threshold') })],
  // a judge decides whether the goal is reached
  ['trajectory:goal_success', () => null],
])

/** The parameters of a trajectory check as a statement for a judge; null: it is no such check. */
export function stateTrajectory(type: string, item: Readonly<Record<string, unknown>>): string | null {
  if (type.includes('trajectory:goal_success')) {
    const goal = readNonEmptyText(isJsonObject(item.value) ? item.value.goal : item.value)
    return goal === null ? null : `The agent achieved this goal: ${goal}`
  }
  const { name, weight, indicator, required, ...rule } = item
  return sequenceTypes.has(type) ? `The run fits this rule: ${canonicalJson(rule)}` : null
}

/** Types whose parameters are more than a text, so that no field of theirs states the criterion. */
const sequenceTypes: ReadonlySet<string> = new Set([
  ...['tool_trajectory', 'tool_order', 'tool_sequence', 'execution_metrics', 'not_trajectory:tool_sequence'],
  ...['trajectory:tool_used', 'not_trajectory:tool_used', 'trajectory:tool_sequence', 'trajectory:tool_args_match'],
  ...['trajectory:step_count', 'tool_call_f1'],
])

function tool(type: string): ForeignReading {
  return (take) => {
    const name = readToolName(take('value', 'tool', 'tool_name'))
    return name === null ? null : { type, name }
  }
}

/** Only names that engines give to tools: another harness's bare name may be any server's tool. */
const toolNames = /^(?:Bash|Read|Write|Edit|MultiEdit|Glob|Grep|WebFetch|WebSearch|Task|Skill|NotebookEdit|mcp__.+)$/

/** The name of a tool that Whetstone's engines report; null: it is not known what it is called here. */
function readToolName(value: unknown): string | null {
  const name = readNonEmptyText(value)
  return name !== null && toolNames.test(name) ? name : null
}

/** agentv: `mode` with `expected`, or `minimums` of calls for each tool. */
function toolTrajectory(take: TakeParameter) {
  const mode = take('mode')
  const [minimums, expected] = [take('minimums'), take('expected')]
  const matching = take('args_match', 'argsMatch')
  if (isJsonObject(minimums) && expected === undefined && mode === 'any_order') {
    return buildOrder('superset', repeatNames(minimums))
  }
  if (minimums !== undefined || !Array.isArray(expected)) return null
  const meant = mode === 'any_order' ? 'superset' : mode
  return buildOrder(
    meant,
    expected.map((step: unknown) => readStep(step, matching)),
  )
}

/** `{ "Read": 2 }` asks for two calls: a list with the name twice. */
function repeatNames(minimums: Record<string, unknown>): (Step | null)[] {
  return Object.entries(minimums).flatMap(([name, count]) => {
    const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= 100
    return isCount ? Array.from({ length: count }, () => readToolName(name)) : [null]
  })
}

/** A name, or an object with `tool` and `args`. Per-call time limits keep it from being read. */
function readStep(step: unknown, matching: unknown): Step | null {
  if (!isJsonObject(step)) return readToolName(step)
  const { tool, name: given, args = 'any', args_match, argsMatch, ...odd } = step
  const name = readToolName(tool ?? given)
  if (name === null || Object.keys(odd).length > 0) return null
  const how = args_match ?? argsMatch ?? matching
  if (args === 'any' || args === null || how === 'ignore') return name
  if (!isJsonObject(args)) return null
  if (Array.isArray(how)) {
    const listed = Object.entries(args).filter(([key]) => how.includes(key))
    return how.every((key) => typeof key === 'string' && !key.includes('.'))
      ? { name, args: Object.fromEntries(listed) }
      : null
  }
  return how === undefined || how === 'superset' ? { name, args } : null
}

/** A list of names, or the form of `claude plugin eval`: `before` and `after`. */
function toolOrder(take: TakeParameter) {
  const [before, after] = [take('before'), take('after')]
  if (before !== undefined || after !== undefined)
    return buildOrder('first_in_order', [readToolName(before), readToolName(after)])
  const list = take('value', 'tools', 'expected', 'sequence')
  const mode = take('mode') ?? 'in_order'
  return Array.isArray(list)
    ? buildOrder(
        mode,
        list.map((step: unknown) => readStep(step, undefined)),
      )
    : null
}

/** agentv: several limits in one; each that is certain becomes a check. */
function executionMetrics(take: TakeParameter) {
  const milliseconds = take('max_duration_ms')
  const limits = [
    { type: 'tool_calls_at_most', value: take('max_tool_calls') },
    { type: 'turns_at_most', value: take('max_llm_calls') },
    { type: 'cost_at_most', value: take('max_cost_usd') },
    { type: 'duration_at_most', value: typeof milliseconds === 'number' ? milliseconds / 1000 : milliseconds },
  ].filter(({ value }) => value !== undefined)
  return limits.length === 0 ? null : limits
}

/** promptfoo: a name, a list of names, or `{ name or pattern, min, max }`. */
function toolUsed(value: unknown) {
  if (Array.isArray(value)) return buildOrder('superset', value.map(readToolName))
  const counted = isJsonObject(value) ? value : { name: value }
  const { name, pattern, min = 1, max, ...odd } = counted
  const tool = readToolOrPattern(name, pattern)
  if (tool === null || Object.keys(odd).length > 0) return null
  if (min === 0 && max === 0) return { type: 'tool_not_used', name: tool }
  const times = { min, ...(max !== undefined && { max }) }
  return { type: 'tool_used', name: tool, ...((min !== 1 || max !== undefined) && { times }) }
}

function toolNotUsed(value: unknown) {
  if (Array.isArray(value)) {
    const names = value.map(readToolName)
    return names.includes(null) ? null : { type: 'tool_not_used', name: names }
  }
  const { name, pattern, ...odd } = isJsonObject(value) ? value : { name: value }
  const tool = readToolOrPattern(name, pattern)
  return tool === null || Object.keys(odd).length > 0 ? null : { type: 'tool_not_used', name: tool }
}

function toolSequence(value: unknown) {
  const { mode = 'in_order', steps, ...odd } = isJsonObject(value) ? value : { steps: value }
  if (!Array.isArray(steps) || Object.keys(odd).length > 0) return null
  const read = steps.map((step: unknown) => {
    const { name, pattern, ...more } = isJsonObject(step) ? step : { name: step }
    return Object.keys(more).length > 0 ? null : readToolOrPattern(name, pattern)
  })
  return buildOrder(mode, read)
}

/** Nested objects are left to a judge: their partial match reaches into them. */
function toolArgs(value: unknown) {
  if (!isJsonObject(value)) return null
  const { name, pattern, args, mode = 'partial', ...odd } = value
  const tool = readToolOrPattern(name, pattern)
  const isPlain = isJsonObject(args) && !Object.values(args).some((one) => typeof one === 'object')
  if (tool === null || !isPlain || mode !== 'partial' || Object.keys(odd).length > 0) return null
  return { type: 'tool_used', name: tool, args }
}

function stepCount(value: unknown) {
  if (!isJsonObject(value)) return null
  const { type, name, pattern, min, max, ...odd } = value
  const isAny = name === undefined && pattern === undefined
  const tool = isAny ? '*' : readToolOrPattern(name, pattern)
  if (type !== 'tool' || tool === null || Object.keys(odd).length > 0) return null
  if (min === undefined) return { type: 'tool_calls_at_most', value: max, ...(!isAny && { name: tool }) }
  return { type: 'tool_used', name: tool, times: { min, ...(max !== undefined && { max }) } }
}

/** A pattern is a glob. Only its star has the same meaning here. */
function readToolOrPattern(name: unknown, pattern: unknown): string | null {
  if (pattern === undefined) return readToolName(name)
  const text = name === undefined ? readNonEmptyText(pattern) : null
  return text !== null && /^mcp__[\w*-]+$/.test(text) ? text : null
}

function buildOrder(mode: unknown, tools: readonly (Step | null)[]) {
  return tools.includes(null) ? null : { type: 'tool_order', mode, tools }
}
