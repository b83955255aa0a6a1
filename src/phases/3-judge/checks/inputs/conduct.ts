/** Lists the checks that look at how the agent worked, not at the outcome. */
import type { Check, CheckType } from '../../../../../schemas/check.ts'

const conduct: ReadonlySet<CheckType> = new Set([
  'tool_used',
  'tool_not_used',
  'tool_order',
  'tool_calls_at_most',
  'no_loop',
  'skill_read',
  'script_executed',
  'agent_blocked',
  'turns_at_most',
  'tokens_at_most',
  'cost_at_most',
  'duration_at_most',
] satisfies CheckType[])

export function isConductCheck(check: Check): boolean {
  return conduct.has(check.type) || ('target' in check && check.target === 'transcript')
}
