/** tool_calls_at_most: the agent makes at most so many calls, of one tool or in total. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText, formatNames, unseenTools } from './inputs/evidence.ts'
import { findMatchedCalls } from './inputs/tool_calls/calls.ts'

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
