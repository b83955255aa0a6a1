/** turns_at_most, tokens_at_most, cost_at_most, duration_at_most: what the agent took, held against a limit. What is not known is never a pass. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'

export async function turnsAtMost({ value }: CheckOf<'turns_at_most'>, scene: CheckScene): Promise<CheckVerdict> {
  if (!scene.showsTools) return { error: 'the engine does not show its turns' }
  return atMost(scene.record.steps, value, 'turns')
}

export async function tokensAtMost(
  { value }: CheckOf<'tokens_at_most'>,
  { record }: CheckScene,
): Promise<CheckVerdict> {
  const { usage } = record
  if (usage === null) return { error: 'the engine does not report tokens' }
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage
  return atMost(input_tokens + output_tokens + cache_read_tokens + cache_write_tokens, value, 'tokens')
}

export async function costAtMost({ value }: CheckOf<'cost_at_most'>, { record }: CheckScene): Promise<CheckVerdict> {
  const { cost } = record
  if (cost === null) return { error: 'what the run cost is not known' }
  return atMost(cost.usd, value, 'US dollars')
}

export async function durationAtMost({ value }: CheckOf<'duration_at_most'>, scene: CheckScene): Promise<CheckVerdict> {
  return atMost(scene.record.duration_ms / 1000, value, 's')
}

function atMost(found: number, limit: number, unit: string): CheckVerdict {
  const passed = found <= limit
  return { passed, evidence: `run.json: ${found} ${unit}${passed ? '' : `, more than ${limit}`}` }
}
