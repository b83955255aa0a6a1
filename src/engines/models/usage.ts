/** Adds up token counts. */
import type { Usage } from '../../../schemas/usage.ts'

export const noUsage: Usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 }

/** The sum of both; reasoning tokens are left out if neither has any. */
export function addUsage(sum: Usage, one: Usage): Usage {
  const reasoning = (sum.reasoning_tokens ?? 0) + (one.reasoning_tokens ?? 0)
  return {
    input_tokens: sum.input_tokens + one.input_tokens,
    output_tokens: sum.output_tokens + one.output_tokens,
    cache_read_tokens: sum.cache_read_tokens + one.cache_read_tokens,
    cache_write_tokens: sum.cache_write_tokens + one.cache_write_tokens,
    ...(reasoning > 0 ? { reasoning_tokens: reasoning } : {}),
  }
}

/** The usage; null if all counts are 0: every response takes tokens, so the server did not count them. */
export function knownUsage(usage: Usage): Usage | null {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage
  return input_tokens + output_tokens + cache_read_tokens + cache_write_tokens > 0 ? usage : null
}
