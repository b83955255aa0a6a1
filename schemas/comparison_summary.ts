/** The blind comparisons of two arms in numbers: `comparison` in `benchmark.json`, and `comparison_summary.json` for two folders. */
import * as z from 'zod'

const count = z.number().int().nonnegative()
const share = z.number().min(0).max(1)

export const comparisonSummary = z.object({
  a: z.string().describe('the side whose wins are counted'),
  b: z.string(),
  judge: z.string().nullable(),
  pairs: count.describe('judged pairs: wins + losses + ties'),
  wins: count,
  losses: count,
  ties: count.describe('ties, including pairs whose verdict changed with the order'),
  win_rate: share.nullable().describe('(wins + ½ ties) ÷ pairs; null: no pair'),
  ci_low: share.nullable(),
  ci_high: share.nullable(),
  method: z.literal('wilson').describe('over pairs, for these cases only; conservative if there are ties'),
  p_value: share.nullable().describe('p-value of the exact two-sided sign test, ties left out'),
  flips: count.describe('pairs whose verdict changed with the order'),
  flip_rate: share.nullable(),
  shown_first_wins: z
    .object({ won: count, decided: count })
    .describe('single judgements with a winner, and how many of them the side shown first won'),
  length_correlation: z
    .number()
    .min(-1)
    .max(1)
    .nullable()
    .describe(
      'Spearman correlation of the difference in length with the difference in score; null: fewer than 4 pairs, or no variation',
    ),
  contradictions: count.describe('pairs whose winner has the lower score'),
  errors: count.describe('pairs that the judge failed to decide; not in any other number'),
  cost_usd: z.number().nonnegative().nullable().describe('cost of the judge; null: unknown'),
  sentence: z.string(),
  warnings: z.array(z.string()),
  cases: z.array(
    z.object({ eval_id: z.number().int(), eval_name: z.string(), wins: count, losses: count, ties: count }),
  ),
})

export type ComparisonSummary = z.infer<typeof comparisonSummary>
