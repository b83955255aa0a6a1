/** What an improve session fixes before its first round and finds at its end: the split, the headroom, the test. */
import * as z from 'zod'

const ids = z.array(z.number().int())

export const split = z.object({
  seed: z.number().int(),
  kind: z
    .enum(['three_way', 'cross_fitted'])
    .describe('cross_fitted: two folds that take turns as training and validation cases, because the suite is small'),
  train: ids.describe('training cases; the first fold if cross_fitted'),
  validation: ids.describe('validation cases; the second fold if cross_fitted'),
  test: ids.describe('test cases, used once, at the end; empty: too few cases'),
  strata: z.array(z.object({ stratum: z.string(), train: ids, validation: ids, test: ids })),
  drafts: ids.optional().describe('cases drafted by a model and not reviewed'),
  drafts_used: z.boolean().optional().describe('false: they are left out of the split'),
  suite_sha256: z.string(),
  runs: z.object({ train: z.number().int(), validation: z.number().int(), test: z.number().int() }),
  scope: z.string().describe('which cases a claim of this session covers, and what a wider claim would need'),
  detectable: z.number().describe('minimum detectable gain at 80% power'),
  power: z
    .array(z.object({ gain: z.number(), power: z.number().min(0).max(1) }))
    .describe('expected power before any run'),
  needs: z
    .object({ gain: z.number(), runs: z.number().int() })
    .optional()
    .describe('runs per validation case and arm that detect this gain with 80% power'),
})

export const headroom = z.object({
  pass_rate: z.number().min(0).max(1).describe('pass rate of v0 on training and validation cases'),
  room: z.number().min(0).max(1).describe('1 − pass_rate'),
  noise: z.number().nonnegative().describe('how far two equal arms may differ on these cases by chance (95%)'),
  detectable: z.number().nonnegative().describe('minimum detectable gain at 80% power, from the observed variation'),
  enough: z.boolean(),
  message: z.string(),
})

const estimate = z.object({ mean: z.number(), ci_low: z.number().nullable(), ci_high: z.number().nullable() })

export const sessionTestResult = z.object({
  benchmark: z.string().describe('the benchmark folder, relative to the workspace'),
  best: z.string(),
  v0: estimate,
  candidate: estimate,
  gain: estimate.extend({ method: z.string().nullable(), n_cases: z.number().int(), n_runs: z.number().int() }),
  scope: z.enum(['these_cases', 'cases_like_these']).optional().describe('which cases the interval of the gain covers'),
  validation_gain: z.number().describe('sum of the gains measured by the gates from v0 to the best version'),
  sentence: z.string(),
})
export type Split = z.infer<typeof split>
