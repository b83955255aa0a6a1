/** The user's own prices (--prices): they replace what an agent reports and the public prices, for the models that they list. */
import type { ModelPrice, UserPrices } from '../../../schemas/prices.ts'
import type { Cost, Usage } from '../../../schemas/usage.ts'
import type { Engine, EngineContext, EngineReport } from '../engine.ts'
import { plainModelId } from './cost.ts'
import { findServingProvider } from './model_family.ts'

const perMillion = 1_000_000

/** The engine with these prices: its reports have the cost by them, and it says that it reports a cost. `prices` absent: unchanged. */
export function withUserPrices(engine: Engine, prices: UserPrices | undefined): Engine {
  if (prices === undefined) return engine
  return {
    ...engine,
    async run(task, context) {
      const price = (report: EngineReport) =>
        applyUserPrices(report, { engine: engine.name, asked: task.model }, prices)
      const { soFar } = context
      const own: EngineContext = soFar
        ? { ...context, soFar: (read) => soFar(async () => price(await read())) }
        : context
      const outcome = await engine.run(task, own)
      return { ...outcome, report: price(outcome.report) }
    },
    async reports(model) {
      const own = (await engine.reports?.(model)) ?? { cost: false, tokens: false }
      const { provider = findServingProvider({ name: engine.name, model }), model: id = null } = own.priced ?? {}
      const found = findUserPrice({ engine: engine.name, provider, models: [id, model] }, prices)
      return found === null || !own.tokens ? own : { ...own, cost: true }
    },
  }
}

interface Ask {
  engine: string
  asked: string | null
}

/** The model that answered counts first, then the name that was asked for. Unchanged without tokens, or if the file has neither. */
export function applyUserPrices<R extends Pick<EngineReport, 'usage' | 'model' | 'provider' | 'cost'>>(
  report: R,
  { engine, asked }: Ask,
  prices: UserPrices,
): R {
  const provider = report.provider ?? findServingProvider({ name: engine, model: report.model ?? asked })
  const price = findUserPrice({ engine, provider, models: [report.model, asked] }, prices)
  return price === null || report.usage === null ? report : { ...report, cost: userCost(report.usage, price, prices) }
}

interface PriceRequest {
  engine: string
  provider: string | null
  /** In order of preference. */
  models: readonly (string | null)[]
}

/** By the id as it is, then without prefixes and suffixes; the engine's own entry before its provider's. null: not in the file. */
function findUserPrice({ engine, provider, models }: PriceRequest, { table }: UserPrices): ModelPrice | null {
  for (const model of models) {
    if (model === null) continue
    for (const id of [model, plainModelId(model)]) {
      for (const key of [`${engine}:${id}`, `${provider}:${id}`]) {
        const price = Object.hasOwn(table, key) ? table[key] : undefined
        if (price !== undefined) return price
      }
    }
  }
  return null
}

/** A price of 0 is a known cost of 0. */
export function userCost(usage: Usage, price: ModelPrice, { file }: Pick<UserPrices, 'file'>): Cost {
  const { input, output, cache_read = input, cache_write = input } = price
  const sum =
    usage.input_tokens * input +
    usage.output_tokens * output +
    usage.cache_read_tokens * cache_read +
    usage.cache_write_tokens * cache_write
  return { usd: sum / perMillion, source: 'prices', prices: file }
}
