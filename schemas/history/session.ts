/** What an improve session fixes before its first round and finds at its end: the split, the headroom, the test. */
import * as z from 'zod'

const ids = z.array(z.number().int())

export const split = z.object({
  seed: z.number().int(),
  kind: z
    .enum(['three_way', 'cross_fitted'])
    .describe('cross_fitted: two folds that train and validate in turn, since the suite is small'),
  train: ids.describe('the first fold, where cross_fitted'),
  validation: ids.describe('the second fold, where cross_fitted'),
  test: ids.describe('touched once, at the end; empty: too few cases'),
  strata: z.array(z.object({ stratum: z.string(), train: ids, validation: ids, test: ids })),
  drafts: ids.optional().describe('cases that a model drafted and nobody had reviewed'),
  drafts_used: z.boolean().optional().describe('false: they are in none of the parts'),
  suite_sha256: z.string(),
  runs: z.object({ train: z.number().int(), validation: z.number().int(), test: z.number().int() }),
  scope: z.string().describe('what a claim of this session is about, and what a wider one would need'),
  detectable: z.number().describe('the gain that the gate finds with power .8'),
  power: z.array(z.object({ gain: z.number(), power: z.number().min(0).max(1) })).describe('to expect, before any run'),
  needs: z
    .object({ gain: z.number(), runs: z.number().int() })
    .optional()
    .describe('runs of each validation case in each arm that would find that gain with power .8'),
})

export const headroom = z.object({
  pass_rate: z.number().min(0).max(1).describe('of v0 on training and validation cases'),
  room: z.number().min(0).max(1).describe('1 − pass_rate'),
  noise: z.number().nonnegative().describe('how much two equal arms may differ on these cases, 95 %'),
  detectable: z.number().nonnegative().describe('the gain that the gate finds with power .8, by the spread seen'),
  enough: z.boolean(),
  message: z.string(),
})

const estimate = z.object({ mean: z.number(), ci_low: z.number().nullable(), ci_high: z.number().nullable() })

export const sessionTestResult = z.object({
  benchmark: z.string().describe('the folder, relative to the workspace'),
  best: z.string(),
  v0: estimate,
  candidate: estimate,
  gain: estimate.extend({ method: z.string().nullable(), n_cases: z.number().int(), n_runs: z.number().int() }),
  scope: z.enum(['these_cases', 'cases_like_these']).optional().describe('what the interval of the gain is about'),
  validation_gain: z.number().describe('what the gates of the versions from v0 to the best said, added up'),
  sentence: z.string(),
})
export type Split = z.infer<typeof split>
