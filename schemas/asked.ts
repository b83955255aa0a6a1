/** Which model was asked (to grade, compare or analyze), how often, and what that cost. */
import * as z from 'zod'

const count = z.number().int().nonnegative()

export const asked = z.object({
  engine: z.string(),
  model: z.string().nullable(),
  calls: count,
  tokens: count.nullable(),
  cost_usd: z.number().nonnegative().nullable(),
  prices: z.string().optional().describe('name of the file of --prices that the cost comes from; absent: none'),
  batched: z
    .literal(true)
    .optional()
    .describe('true: all calls were answered in batches of the provider, at half the price; absent: not all'),
})

export type Asked = z.infer<typeof asked>
