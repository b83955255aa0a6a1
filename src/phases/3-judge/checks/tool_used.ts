/** tool_used: the agent called a tool, this many times. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText, formatNames, unseenTools } from './inputs/evidence.ts'
import { isInRange, rangeText } from './inputs/range.ts'
import { findMatchedCalls } from './inputs/tool_calls/calls.ts'

/** If an engine hides its tools, the visible calls suffice only where further calls would change nothing. */
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
