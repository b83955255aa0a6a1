/** `statistics.price` in `benchmark.json`: whether the skill is worth what it costs, on these cases. */
import * as z from 'zod'

export const priceVerdict = z
  .enum(['better', 'as_good_and_cheaper', 'better_but_dearer', 'worse', 'inconclusive'])
  .describe(
    'better: a higher pass rate, and a price that is not higher by the margin; as_good_and_cheaper: not lower by the margin, and a lower price; inconclusive: none of these is shown',
  )

export const priceTest = z.object({
  name: z.enum([
    'rate_higher',
    'rate_lower',
    'rate_within_margin',
    'price_lower',
    'price_higher',
    'price_within_margin',
  ]),
  null_hypothesis: z.string().describe('what the test rejects'),
  p_value: z.number().min(0).max(1).describe('one-sided'),
  level: z.number().describe('rejected where p_value is at most this: a third or two thirds of alpha'),
  rejected: z.boolean(),
})

export const price = z.object({
  verdict: priceVerdict,
  rule: z.string().describe('what decided, or why nothing could be tested'),
  sentence: z.string(),
  unit: z
    .enum(['cost_usd', 'tokens'])
    .nullable()
    .describe('tokens where the cost of a run is unknown or 0; null: neither is known of all runs'),
  alpha: z.number().gt(0).lt(1).describe('probability that any of the claims is wrong, all together'),
  margin: z.number().positive().describe('of the pass rate (0.1: 10 points) and of the price (0.1: 10%)'),
  candidate_mean: z.number().nullable().describe('price of a run, mean over the cases; null: unknown'),
  baseline_mean: z.number().nullable(),
  ratio: z.number().nullable().describe('candidate ÷ baseline'),
  ci_low: z.number().nullable().describe('of the ratio; null: no interval'),
  ci_high: z.number().nullable(),
  per_point: z
    .object({
      estimate: z.number().describe('what a run costs more for each point of the pass rate, in the unit'),
      at_most: z.number().describe('upper bound; both bounds together are wrong with a probability of at most alpha'),
    })
    .nullable()
    .describe('null: the pass rate is not shown to be higher, or the price is unknown'),
  tests: z.array(priceTest).describe('empty: nothing could be tested'),
})

export type PriceVerdict = z.infer<typeof priceVerdict>
export type PriceTest = z.infer<typeof priceTest>
export type Price = z.infer<typeof price>
