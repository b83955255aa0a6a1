/** Token counts of responses, summed. */
import type Anthropic from '@anthropic-ai/sdk'
import type { Usage } from '../../../schemas/usage.ts'

export const noUsage: Usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 }

/** The sum with one response more. Servers that leave counts out are taken to mean 0. */
export function addUsage(sum: Usage, one: Partial<Anthropic.Usage> | undefined): Usage {
  const reasoning = (sum.reasoning_tokens ?? 0) + (one?.output_tokens_details?.thinking_tokens ?? 0)
  return {
    input_tokens: sum.input_tokens + (one?.input_tokens ?? 0),
    output_tokens: sum.output_tokens + (one?.output_tokens ?? 0),
    cache_read_tokens: sum.cache_read_tokens + (one?.cache_read_input_tokens ?? 0),
    cache_write_tokens: sum.cache_write_tokens + (one?.cache_creation_input_tokens ?? 0),
    ...(reasoning > 0 ? { reasoning_tokens: reasoning } : {}),
  }
}
