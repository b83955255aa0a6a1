/** Checks of what the agent did and used: tool_used, tool_not_used, tool_calls_at_most, no_loop, program_called, skill_read, agent_blocked, turns_at_most, tokens_at_most, cost_at_most, duration_at_most. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import { canonicalJson } from '../../../base/json/json.ts'
import { findMatchingGroups } from '../../../base/process/find_pattern.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText, describeUnfinished, formatNames, unseenTools } from './inputs/check_input.ts'
import { isInRange, rangeText } from './inputs/range.ts'
import { findMatchedCalls, formatCall, listCalls, type PlacedCall } from './inputs/tool_calls/calls.ts'

/**
 * The agent called a tool, this many times.
 * If an engine hides its tools, the visible calls suffice only where further calls would change nothing.
 */
export async function decideToolUsed(check: CheckOf<'tool_used'>, context: CheckContext): Promise<CheckVerdict> {
  const calls = await findMatchedCalls(check, context)
  if ('error' in calls) return calls
  const { meant, tools } = calls
  const { times = { min: 1 } } = check
  const passed = isInRange(times, meant.length)
  const isSure = context.showsTools || (passed && times.max === undefined && times.equals === undefined)
  if (!isSure) return unseenTools
  const [first] = meant
  const said =
    first === undefined ? `no such call; tools used: ${formatNames(tools)}` : `${meant.length} calls; ${first}`
  return passed
    ? { passed, evidence: capText(said) }
    : { passed, evidence: capText(`${said}; wanted: ${rangeText(times)}`) }
}

export async function decideToolNotUsed(check: CheckOf<'tool_not_used'>, context: CheckContext): Promise<CheckVerdict> {
  const calls = await findMatchedCalls(check, context)
  if ('error' in calls) return calls
  const [first] = calls.meant
  if (first !== undefined) return { passed: false, evidence: capText(first) }
  return context.showsTools
    ? { passed: true, evidence: `no such call; tools used: ${formatNames(calls.tools)}` }
    : unseenTools
}

/** The agent makes at most so many calls, of one tool or in total. */
export async function decideToolCallsAtMost(
  check: CheckOf<'tool_calls_at_most'>,
  context: CheckContext,
): Promise<CheckVerdict> {
  const calls = await findMatchedCalls({ ...check, name: check.name ?? '*' }, context)
  if ('error' in calls) return calls
  const count = `${calls.meant.length} ${calls.meant.length === 1 ? 'call' : 'calls'}`
  const tooMuch = calls.meant[check.value]
  if (tooMuch !== undefined) {
    return { passed: false, evidence: capText(`${count}, more than ${check.value}; the first too many: ${tooMuch}`) }
  }
  return context.showsTools
    ? { passed: true, evidence: `${count}; tools used: ${formatNames(calls.tools)}` }
    : unseenTools
}

/**
 * The agent does not repeat the same call with the same input too often in a row.
 * Only other calls end a row: what the agent says between two calls does not.
 */
export async function decideNoLoop(check: CheckOf<'no_loop'>, context: CheckContext): Promise<CheckVerdict> {
  const { max_repeats = 3 } = check
  const { first, times } = findLongestRow(await listCalls(context))
  const row = first === null ? 'no calls' : `${times} in a row, from ${formatCall(first)}`
  if (times > max_repeats) return { passed: false, evidence: capText(`${row}; wanted: at most ${max_repeats}`) }
  return context.showsTools ? { passed: true, evidence: capText(`longest row: ${row}`) } : unseenTools
}

function findLongestRow(calls: readonly PlacedCall[]): { first: PlacedCall | null; times: number } {
  let longest: { first: PlacedCall | null; times: number } = { first: null, times: 0 }
  let current = { key: '', times: 0, first: calls[0] ?? null }
  for (const one of calls) {
    const key = canonicalJson([one.call.name, one.call.input])
    current = key === current.key ? { ...current, times: current.times + 1 } : { key, times: 1, first: one }
    if (current.times > longest.times) longest = { first: current.first, times: current.times }
  }
  return longest
}

/** The agent called a program of evals/bin, this many times. */
export async function decideProgramCalled(
  { program, args, times = { min: 1 } }: CheckOf<'program_called'>,
  context: CheckContext,
): Promise<CheckVerdict> {
  const recorded = await context.programCalls()
  if (recorded === null) return { error: 'the run has no record of calls: the suite had no evals/bin when it ran' }
  const calls = recorded
    .filter((call) => call.phase === 'agent' && call.program === program)
    .map((call) => call.args.join(' '))
  const found = args === undefined ? { lines: calls } : await matchLines(args, calls, context.signal)
  if ('error' in found) return found
  const [first] = found.lines
  const others =
    calls.length === 0 ? `${program} was not called` : `calls: ${calls.map((one) => `${program} ${one}`).join('; ')}`
  const said =
    first === undefined
      ? `no such call; ${others}`
      : `${found.lines.length} such ${found.lines.length === 1 ? 'call' : 'calls'}; ${program} ${first}`
  return isInRange(times, found.lines.length)
    ? { passed: true, evidence: capText(said) }
    : { passed: false, evidence: capText(`${said}; wanted: ${rangeText(times)}`) }
}

async function matchLines(
  pattern: string,
  lines: readonly string[],
  signal: AbortSignal,
): Promise<{ lines: string[] } | { error: string }> {
  const groups = lines.map((line) => [line])
  const end = await findMatchingGroups({ pattern }, groups, signal)
  if ('error' in end) return describeUnfinished(`the pattern /${capText(pattern, 120)}/`, end)
  return { lines: end.value.flatMap((index) => lines[index] ?? []) }
}

export async function decideSkillRead(check: CheckOf<'skill_read'>, context: CheckContext): Promise<CheckVerdict> {
  if (context.record.activation === 'answer') return { error: 'the agent has no tools to read it: it is in the prompt' }
  const { read: wanted = true } = check
  if (context.skill?.installed === false) return { passed: !wanted, evidence: 'the agent did not have this skill' }
  const { read, read_at_step } = context.record.skill
  if (read === null) return { error: 'the engine does not report whether the skill was read' }
  const at = read_at_step === null ? '' : ` at step ${read_at_step}`
  return { passed: read === wanted, evidence: read ? `its SKILL.md was read${at}` : 'its SKILL.md was not read' }
}

const beforeCalls: ReadonlySet<string> = new Set(['PreToolUse', 'PermissionRequest'])

/**
 * A hook kept the agent from a call.
 * `blocked: false` inverts the verdict. Undecided if an engine hides its tools and the transcript has no hook.
 */
export async function decideAgentBlocked(
  check: CheckOf<'agent_blocked'>,
  context: CheckContext,
): Promise<CheckVerdict> {
  const events = await context.events()
  const hooks = events.filter((event) => event.type === 'hook')
  const fits = (event: string) => (check.event === undefined ? beforeCalls.has(event) : event === check.event)
  const blocks = hooks.filter((hook) => hook.outcome === 'blocked' && fits(hook.event))
  const wanted = check.blocked ?? true
  const found = blocks.find(
    ({ tool, text }) =>
      (check.tool === undefined || tool === check.tool) && (check.reason === undefined || text.includes(check.reason)),
  )
  if (found !== undefined) {
    const at = events.indexOf(found) + 1
    return {
      passed: wanted,
      evidence: `transcript.jsonl:${at}: ${found.tool ?? 'a call'} was blocked${exitCode(found)}: ${capText(found.text)}`,
    }
  }
  if (hooks.length === 0 && !context.showsTools)
    return { error: 'the engine does not report whether a hook blocked a call' }
  const others = blocks.map(({ tool = 'a call', text }) => `${tool} (${capText(text, 100)})`)
  const ran = blocks.length > 0 ? `; blocked: ${formatNames(others)}` : describeEnds(hooks)
  return { passed: !wanted, evidence: `no hook blocked ${what(check)}${ran}` }
}

type HookEvent = Extract<TranscriptEvent, { type: 'hook' }>

/** How the hooks ended that blocked nothing: how many, and each exit code once by event and tool. */
function describeEnds(hooks: readonly HookEvent[]): string {
  if (hooks.length === 0) return '; no hook is on record'
  const ends = hooks.flatMap(({ event, tool, exit_code }) =>
    exit_code === undefined ? [] : `${[event, tool].filter(Boolean).join(' of ')} exited ${exit_code}, not 2`,
  )
  const codes = ends.length === 0 ? '' : ` (${formatNames([...new Set(ends)])})`
  return `; hooks that ran: ${hooks.length}${codes}`
}

/** Empty: the engine does not report the code. */
function exitCode({ exit_code }: HookEvent): string {
  return exit_code === undefined ? '' : ` (the hook exited ${exit_code})`
}

function what({ tool, reason, event }: CheckOf<'agent_blocked'>): string {
  const subject = event === undefined ? 'a call' : `anything at ${event}`
  const which = tool === undefined ? subject : `a call of ${tool}`
  return reason === undefined ? which : `${which} with a reason that contains "${capText(reason, 120)}"`
}

/** Usage compared with a limit. An unknown value never passes. */
export async function decideTurnsAtMost(
  { value }: CheckOf<'turns_at_most'>,
  context: CheckContext,
): Promise<CheckVerdict> {
  if (!context.showsTools) return { error: 'the engine does not report its turns' }
  return atMost(context.record.steps, value, 'turns')
}

export async function decideTokensAtMost(
  { value }: CheckOf<'tokens_at_most'>,
  { record }: CheckContext,
): Promise<CheckVerdict> {
  const { usage } = record
  if (usage === null) return { error: 'the engine does not report tokens' }
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage
  return atMost(input_tokens + output_tokens + cache_read_tokens + cache_write_tokens, value, 'tokens')
}

export async function decideCostAtMost(
  { value }: CheckOf<'cost_at_most'>,
  { record }: CheckContext,
): Promise<CheckVerdict> {
  const { cost } = record
  if (cost === null) return { error: 'the cost of the run is unknown' }
  return atMost(cost.usd, value, 'US dollars')
}

export async function decideDurationAtMost(
  { value }: CheckOf<'duration_at_most'>,
  context: CheckContext,
): Promise<CheckVerdict> {
  return atMost(context.record.duration_ms / 1000, value, 's')
}

function atMost(found: number, limit: number, unit: string): CheckVerdict {
  const passed = found <= limit
  return { passed, evidence: `run.json: ${found} ${unit}${passed ? '' : `, more than ${limit}`}` }
}
