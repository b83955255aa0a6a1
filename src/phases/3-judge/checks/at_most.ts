/** turns_at_most, tokens_at_most, cost_at_most, duration_at_most: usage compared with a limit. An unknown value never passes. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'

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
