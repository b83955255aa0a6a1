/** `statistics.variance` in `benchmark.json`: where the uncertainty of the difference comes from, and what narrows it. */
import * as z from 'zod'

const component = z.number().nonnegative().nullable()
const share = z.number().min(0).max(1).nullable()

export const variance = z.object({
  case: component.describe(
    'variance of the true differences between cases; null: fewer than two cases, or a case with one run in a configuration',
  ),
  case_low: component.describe('95% CI; null: no estimate'),
  case_high: component,
  run: component.describe(
    'variance of a score between runs of one case and configuration, without that of grading if it is known; null: as for case',
  ),
  grading: component.describe('variance between gradings of one transcript; null: unknown until grade --again'),
  case_share: share.describe(
    'share of the variance of the difference on similar cases that is between cases, which more runs cannot remove',
  ),
  case_share_low: share.describe('95% CI'),
  case_share_high: share,
  runs_more: z.number().int().positive().nullable().describe('as many runs per case and configuration again'),
  cases_more: z
    .number()
    .int()
    .nonnegative()
    .nullable()
    .describe('cases that narrow the interval for similar cases as much as runs_more does'),
  sentence: z.string(),
})

export type Variance = z.infer<typeof variance>
