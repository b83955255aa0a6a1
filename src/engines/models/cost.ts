/** Estimates what a run cost from its tokens and public prices. */
import type { Cost, Usage } from '../../../schemas/usage.ts'
import { findCloud, isCloudName } from '../clouds/table.ts'
import type { EngineReport, PricedModel } from '../engine.ts'
import { plainModelId } from './model_id.ts'

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

/** Whether the prices of this model are known. */
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
