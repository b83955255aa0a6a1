/** Sums of tokens, and what a run cost by them and by public prices. */
import type { Cost, Usage } from '../../../schemas/usage.ts'
import { findCloud, isCloudName } from '../clouds/table.ts'
import type { EngineReport, PricedModel } from '../engine.ts'

/** The table of prices. The first load takes a tenth of a second, so it happens before a run's time is measured, not within it. */
export function loadPrices(): Promise<typeof import('@pydantic/genai-prices')> {
  return import('@pydantic/genai-prices')
}

/** The cost in dollars by the prices of the provider or cloud, for its id as it is or without prefixes and suffixes; null for a model (or provider) without a known price. */
export async function estimateCost(usage: Usage, model: string, provider: string): Promise<Cost | null> {
  const { calcPrice } = await loadPrices()
  const { input_tokens: fresh, output_tokens, cache_read_tokens, cache_write_tokens } = usage
  const input_tokens = fresh + cache_read_tokens + cache_write_tokens
  const tokens = { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens }
  const providerId = isCloudName(provider) ? findCloud(provider).prices : provider
  const [usd = 0] = [model, plainModelId(model)].flatMap(
    (id) => calcPrice(tokens, id, { providerId })?.total_price ?? [],
  )
  return usd > 0 ? { usd, source: 'estimated' } : null
}

/** The sum of both; estimated if one of them is. */
export function addCost(sum: Cost, one: Cost): Cost {
  return { ...(sum.source === 'agent' ? one : sum), usd: sum.usd + one.usd }
}

export async function isPriced({ model, provider }: PricedModel): Promise<boolean> {
  const usage = { input_tokens: 1000, output_tokens: 1000, cache_read_tokens: 0, cache_write_tokens: 0 }
  return (await estimateCost(usage, model, provider)) !== null
}

/** The report, with an estimated cost if the agent reported none and its usage, model and provider are known. */
export async function withCost(report: EngineReport): Promise<EngineReport> {
  const { cost, usage, model, provider } = report
  if (cost !== null || usage === null || model === null || provider === null) return report
  return { ...report, cost: await estimateCost(usage, model, provider) }
}

/** What may come before an id: the path of a provider, and the region and vendor of Bedrock. */
const before = /^(?:.*\/)?(?:(?:[a-z]{2,6}\.)?anthropic\.)?/
/** What may come after it: a context size, the version of a cloud, the date of a release, the newest of a family. */
const after = [/\[1m\]$/, /-v\d+(?::\d+)?$/, /[-@]20\d{6}$/, /-20\d\d-\d\d-\d\d$/, /-latest$/]

/** Without prefixes and suffixes that do not change the price. */
export function plainModelId(model: string): string {
  return after.reduce((id, suffix) => id.replace(suffix, ''), model.replace(before, ''))
}

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
