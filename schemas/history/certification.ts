/** The one comparison that decides an improve session: the best version against v0 in fresh paired runs on held-out cases. */
import * as z from 'zod'

const guardResult = z.object({
  name: z.enum(['cost_usd', 'time_seconds', 'cases', 'tokens']),
  passed: z.boolean().nullable().describe('null: unknown, which does not count against the candidate'),
  ratio: z.number().nullable().describe('candidate ÷ v0; null: unknown, or the guard on cases'),
  ci_high: z.number().nullable().describe('upper bound of the one-sided 95% CI of the ratio; null: unknown'),
  limit: z
    .number()
    .nullable()
    .describe('cost and time: the ratio must not be above this; tokens: its upper bound must be below'),
  message: z.string(),
})

const estimate = z.object({ mean: z.number(), ci_low: z.number().nullable(), ci_high: z.number().nullable() })

/** How two versions compare on the held-out cases. */
const heldOutComparison = z.object({
  benchmark: z.string().describe('the benchmark folder, relative to the workspace'),
  best: z.string(),
  v0: estimate,
  candidate: estimate,
  gain: estimate.extend({
    method: z.string().nullable(),
    n_cases: z.number().int(),
    n_runs: z.number().int().describe('of both versions together'),
  }),
  cases: z.array(z.object({ eval_id: z.number().int(), v0: z.number(), candidate: z.number() })),
  scope: z
    .enum(['these_cases', 'cases_like_these'])
    .describe('these_cases: too few cases to generalise, so the claim holds only for the cases of the suite'),
})

export const certification = heldOutComparison.extend({
  result: z.enum(['won', 'lost', 'tie']),
  reason: z.string(),
  goal: z.enum(['better', 'cheaper']),
  p_value: z.number().nullable().describe('one-sided, moderated t; null: no pair was graded'),
  p_over_cases: z.number().nullable().describe('one-sided, paired t over the cases (sign flip in older files)'),
  alpha: z.number(),
  guards: z.array(guardResult),
  judge: z.object({
    kind: z
      .enum(['code', 'second', 'same'])
      .describe(
        'code: checks alone decide; second: another judge than that of the search; same: the judge of the search, which edits may have learned to please',
      ),
    name: z.string().nullable().describe('engine:model; null: no judge'),
    disagreement: z
      .object({
        name: z.string().describe('the judge of the search'),
        decisions: z.number().int().nonnegative().describe('expectations that both judges decided'),
        differ: z.number().int().nonnegative(),
        gain: z.number().nullable().describe('the gain by the judge of the search, on the same runs'),
      })
      .optional()
      .describe('absent: only one judge graded these runs'),
  }),
  sentence: z.string(),
})

/** The same comparison with another engine or model: does the gain transfer? */
export const confirmation = heldOutComparison.extend({ engine: z.string(), sentence: z.string() })

export type GuardResult = z.infer<typeof guardResult>
export type HeldOutComparison = z.infer<typeof heldOutComparison>
export type Certification = z.infer<typeof certification>
export type Confirmation = z.infer<typeof confirmation>
