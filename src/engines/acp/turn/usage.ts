/** Reads tokens from the answers to prompts. Pure. */
import type { Usage } from '../../../../schemas/usage.ts'
import { addUsage, knownUsage } from '../../models/usage.ts'
import type { PromptResult } from '../protocol/records.ts'

/**
 * The tokens of all turns; null: not known. The protocol leaves open whether an answer has those of its turn or of the session so far:
 * they are added up if they can't be sums already.
 */
export function sumUsage(results: readonly PromptResult[]): Usage | null {
  // a turn that was cancelled is not over, and may have no count yet
  const all = results.map(readUsage).filter((one, at) => one !== null || results[at]?.stopReason !== 'cancelled')
  const known = all.filter((one) => one !== null)
  const [first] = known
  if (first === undefined || known.length < all.length) return null
  if (known.length === 1) return first
  const isOfTurns =
    results.every(({ usage }) => !usage) || known.some((one, at) => at > 0 && !isSumWith(one, known[at - 1] ?? one))
  return isOfTurns ? known.reduce(addUsage) : null
}

/** Whether the later count may include the earlier one: no part is lower, and the later turn has output of its own. */
function isSumWith(later: Usage, earlier: Usage): boolean {
  const names = ['input_tokens', 'cache_read_tokens', 'cache_write_tokens'] as const
  return names.every((name) => later[name] >= earlier[name]) && later.output_tokens > earlier.output_tokens
}

/** null: not reported. Gemini CLI has a field of its own, which counts cached tokens as input. */
function readUsage({ usage, _meta }: PromptResult): Usage | null {
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
