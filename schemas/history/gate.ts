/** The result of the improve loop's gate for a candidate: the verdict with every number that supports it. */
import * as z from 'zod'

/** One interim check of the blocks finished so far. */
const gateLook = z.object({
  blocks: z.number().int().positive(),
  difference: z.number(),
  chance: z
    .number()
    .min(0)
    .max(1)
    .describe('probability of still winning if the true difference is one standard error better than observed'),
})

const gateGuard = z.object({
  name: z.enum(['cost_usd', 'time_seconds', 'cases']),
  passed: z.boolean().nullable().describe('null: unknown, which does not count against the candidate'),
  ratio: z.number().nullable().describe('candidate ÷ incumbent; null: unknown, or the guard on cases'),
  ci_high: z.number().nullable().describe('upper bound of the one-sided 95% CI of the ratio'),
  limit: z.number().nullable().describe('the ratio must stay below this'),
  message: z.string(),
})

export const gateResult = z.object({
  result: z.enum(['won', 'lost', 'tie']),
  stage: z.enum(['train', 'validation']).describe('train: rejected on its training cases, so validation was not run'),
  reason: z.string(),
  against: z.string().describe('the incumbent that ran in the same blocks'),
  scope: z
    .enum(['these_cases', 'cases_like_these'])
    .describe('these_cases: too few cases to generalise, so the claim holds only for the cases of the suite'),
  candidate_mean: z.number().min(0).max(1),
  incumbent_mean: z.number().min(0).max(1),
  difference: z.number(),
  ci_low: z.number().nullable(),
  ci_high: z.number().nullable(),
  p_value: z.number().nullable().describe('one-sided p-value for "better than the incumbent"; null: not tested'),
  p_method: z.string().nullable(),
  alpha: z.number().describe('significance level for this candidate: its share of the alpha of the whole session'),
  n_cases: z.number().int().nonnegative(),
  blocks: z.number().int().nonnegative().describe('paired runs of each case that were done'),
  planned_blocks: z.number().int().nonnegative(),
  looks: z.array(gateLook),
  guards: z.array(gateGuard),
})
export type GateResult = z.infer<typeof gateResult>
