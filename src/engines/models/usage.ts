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

/**
 * What one process took of `total`. In some CLIs and versions the total includes what the earlier processes of its session took
 * (`earlier`; null: there were none, or it is unknown). `seen`: what this process took at least.
 */
export function withoutEarlier(total: Usage, earlier: Usage | null, seen: Usage | null): Usage {
  if (earlier === null || countTokens(total) < countTokens(earlier) + countTokens(seen ?? noUsage)) return total
  const reasoning = (total.reasoning_tokens ?? 0) - (earlier.reasoning_tokens ?? 0)
  return {
    input_tokens: Math.max(0, total.input_tokens - earlier.input_tokens),
    output_tokens: Math.max(0, total.output_tokens - earlier.output_tokens),
    cache_read_tokens: Math.max(0, total.cache_read_tokens - earlier.cache_read_tokens),
    cache_write_tokens: Math.max(0, total.cache_write_tokens - earlier.cache_write_tokens),
    ...(reasoning > 0 ? { reasoning_tokens: reasoning } : {}),
  }
}

export function countTokens({ input_tokens, output_tokens, cache_read_tokens, cache_write_tokens }: Usage): number {
  return input_tokens + output_tokens + cache_read_tokens + cache_write_tokens
}

/** The usage; null if all counts are 0: every response takes tokens, so the server did not count them. */
export function knownUsage(usage: Usage): Usage | null {
  return countTokens(usage) > 0 ? usage : null
}
