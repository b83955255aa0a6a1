/** The result of the improve loop's gate for a candidate: the verdict with every number that supports it. */
import * as z from 'zod'

/** One interim check of the blocks finished so far. */
const gateLook = z.object({
  blocks: z.number().int().positive(),
  difference: z.number(),
  chance: z.number().min(0).max(1).describe('of still winning, were the truth a standard error better than it looks'),
})

const gateGuard = z.object({
  name: z.enum(['cost_usd', 'time_seconds', 'cases']),
  passed: z.boolean().nullable().describe('null: not known, and not held against the candidate'),
  ratio: z.number().nullable().describe('candidate ÷ incumbent; null: of cases, or unknown'),
  ci_high: z.number().nullable().describe('upper end of the one-sided 95 % interval of the ratio'),
  limit: z.number().nullable().describe('the ratio that it must stay below'),
  message: z.string(),
})

export const gateResult = z.object({
  result: z.enum(['won', 'lost', 'tie']),
  stage: z.enum(['train', 'validation']).describe('train: rejected on its training cases, validation was not run'),
  reason: z.string(),
  against: z.string().describe('the incumbent that it met in the same blocks'),
  scope: z
    .enum(['these_cases', 'cases_like_these'])
    .describe('these_cases: too few cases to speak of others; the claim holds for the cases of the suite'),
  candidate_mean: z.number().min(0).max(1),
  incumbent_mean: z.number().min(0).max(1),
  difference: z.number(),
  ci_low: z.number().nullable(),
  ci_high: z.number().nullable(),
  p_value: z.number().nullable().describe('one-sided, for "better than the incumbent"; null: not tested'),
  p_method: z.string().nullable(),
  alpha: z.number().describe('the size of the test on this candidate: its share of the error of all candidates'),
  n_cases: z.number().int().nonnegative(),
  blocks: z.number().int().nonnegative().describe('paired runs of each case that were made'),
  planned_blocks: z.number().int().nonnegative(),
  looks: z.array(gateLook),
  guards: z.array(gateGuard),
})
export type GateResult = z.infer<typeof gateResult>
