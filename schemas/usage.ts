/** Tokens and money of a run: one definition for every engine. */
import * as z from 'zod'

/** Tokens by kind. `input_tokens` excludes cached tokens; reasoning is part of the output. Their sum is "tokens" everywhere. */
export const usage = z.object({
  input_tokens: z.number().int().nonnegative(),
  output_tokens: z.number().int().nonnegative(),
  cache_read_tokens: z.number().int().nonnegative(),
  cache_write_tokens: z.number().int().nonnegative(),
  reasoning_tokens: z.number().int().nonnegative().optional(),
})

/** US dollars; `source` says who computed them. Unknown cost is null, never 0. */
export const cost = z.object({
  usd: z.number().nonnegative(),
  source: z
    .enum(['agent', 'estimated', 'prices'])
    .describe('agent: it reports them; estimated: public prices; prices: the file of --prices'),
  prices: z.string().optional().describe('name of the file of --prices; absent: it was not used'),
})

export type Usage = z.infer<typeof usage>
export type Cost = z.infer<typeof cost>
