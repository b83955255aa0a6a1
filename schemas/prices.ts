/** The file of --prices: what models cost, by provider:model or engine:model. */
import * as z from 'zod'

const perMillion = z.number({ error: 'expected a number: US dollars per million tokens' }).nonnegative()

export const modelPrice = z.strictObject({
  input: perMillion.describe('US dollars per million input tokens that were not cached'),
  output: perMillion.describe('US dollars per million output tokens, reasoning included'),
  cache_read: perMillion.optional().describe('per million tokens read from the cache; absent: as input'),
  cache_write: perMillion.optional().describe('per million tokens written to the cache; absent: as input'),
})

export const priceTable = z
  .record(z.string().regex(/^[^\s:]+:\S+$/, 'expected provider:model, such as anthropic:claude-haiku-5-5'), modelPrice)
  .describe('by provider:model (as in run.json) or engine:model')

/** Prices with the name of the file that they come from. */
export const userPrices = z.object({
  file: z.string().describe('name of the file, without its folder'),
  table: priceTable,
})

export type ModelPrice = z.infer<typeof modelPrice>
export type UserPrices = z.infer<typeof userPrices>
