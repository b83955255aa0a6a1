/** Reads the tokens of a turn from the answer to its prompt. Pure. */
import type { Usage } from '../../../../schemas/usage.ts'
import { knownUsage } from '../../models/usage.ts'
import type { PromptResult } from '../protocol/records.ts'

/** null: not reported. Gemini CLI has a field of its own, which counts cached tokens as input. */
export function readUsage({ usage, _meta }: PromptResult): Usage | null {
  if (!usage) {
    const counted = _meta?.quota?.token_count
    if (!counted) return null
    const { input_tokens, output_tokens } = counted
    return knownUsage({ input_tokens, output_tokens, cache_read_tokens: 0, cache_write_tokens: 0 })
  }
  const { inputTokens, outputTokens, totalTokens } = usage
  const [read, write, thought] = [usage.cachedReadTokens ?? 0, usage.cachedWriteTokens ?? 0, usage.thoughtTokens ?? 0]
  // only the total shows whether cached and reasoning tokens are part of the others
  const rest = Math.max(0, (totalTokens ?? inputTokens + outputTokens) - inputTokens - outputTokens)
  const isCacheApart = rest >= read + write
  const isThoughtApart = thought > 0 && rest === thought + (isCacheApart ? read + write : 0)
  return knownUsage({
    input_tokens: Math.max(0, inputTokens - (isCacheApart ? 0 : read + write)),
    output_tokens: outputTokens + (isThoughtApart ? thought : 0),
    cache_read_tokens: read,
    cache_write_tokens: write,
    ...(thought > 0 ? { reasoning_tokens: thought } : {}),
  })
}

/** The model that Gemini CLI names there; null: none, or several. */
export function readUsedModel({ _meta }: PromptResult): string | null {
  const [one, ...others] = _meta?.quota?.model_usage ?? []
  return one !== undefined && others.length === 0 ? one.model : null
}
