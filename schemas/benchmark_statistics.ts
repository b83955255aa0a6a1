/** `statistics` in `benchmark.json`: how large the difference is, how certain, for which cases, by which method. Rates are from 0 to 1. */
import * as z from 'zod'
import { noise } from './noise.ts'
import { olderRuns } from './older_runs.ts'
import { price } from './price.ts'
import { variance } from './variance.ts'

const count = z.number().int().nonnegative()
const share = z.number().min(0).max(1)
const bound = z.number().nullable().describe('null: no interval')

export const verdict = z
  .enum(['helps', 'hurts', 'too_easy', 'too_hard', 'no_difference', 'inconclusive', 'not_comparable', 'incomplete'])
  .describe(
    'too_easy: both pass 97% or more; too_hard: both pass 3% or less; not_comparable: no case graded in both; incomplete: runs without a grade could decide it',
  )

export const missingGrades = z.object({
  by_configuration: z.record(
    z.string(),
    z.object({
      planned: count,
      missing: count.describe('planned runs without a grade'),
      repeated: count
        .optional()
        .describe('graded runs in which the agent had ended earlier attempts without an answer; absent: none'),
    }),
  ),
  low: z
    .number()
    .min(-1)
    .max(1)
    .describe(
      'lower bound of the difference, candidate − baseline: the missing and the repeated runs of the candidate fail, those of the baseline pass; with one arm: of its pass rate',
    ),
  high: z.number().min(-1).max(1).describe('the reverse'),
})

const exactMethods = [
  'permutation_exact',
  'permutation_draws',
  'permutation_normal',
  'sign_flip_exact',
  'sign_flip_draws',
  'sign_flip_normal',
] as const

const scopeDifference = z.object({
  mean: z.number().nullable().describe('mean over cases, candidate − baseline; null: no case has runs in both arms'),
  candidate_mean: share.optional().describe('mean over the same cases, each case counted once'),
  baseline_mean: share.optional(),
  ci_low: bound,
  ci_high: bound,
  method: z
    .enum([
      'moderated_t',
      'repeated_interval',
      'betting_sequence',
      'paired_t',
      'beta_bound',
      'within_case_t',
      'wilson_newcombe',
      'judge_corrected',
    ])
    .nullable()
    .describe(
      'method of the interval; judge_corrected: as in judge_difference; betting_sequence, within_case_t and wilson_newcombe: only in files with schema_version 1',
    ),
  p_value: share
    .nullable()
    .describe(
      'from the same procedure as the interval, which excludes 0 exactly if p ≤ alpha; null: no interval, or with --until no interim analysis has stopped the benchmark, or the scope is cases_like_these',
    ),
  p_method: z
    .enum(['moderated_t', 'paired_t', 'beta_bound', 'group_sequential', 'judge_corrected', 'e_value', ...exactMethods])
    .nullable()
    .describe('e_value, permutation_… and sign_flip_…: only in files with schema_version 1'),
  n_cases: count.describe('cases with runs in both arms'),
  n_runs: count.describe('runs of these cases in both arms'),
})

export const scope = z.object({
  difference: scopeDifference,
  verdict,
  rule: z.string().describe('the rule behind the verdict'),
  sentence: z.string(),
  needed_for_margin: z
    .number()
    .int()
    .positive()
    .nullable()
    .optional()
    .describe(
      'what finds a difference of `margin` with 80% power: total runs per case and configuration (these_cases) or further cases (cases_like_these); null: out of reach, or already conclusive',
    ),
})

const ratio = z.object({
  ratio: z.number().positive().describe('candidate ÷ baseline'),
  ci_low: bound,
  ci_high: bound,
  method: z.literal('log_ratio_t'),
  n_cases: count,
})

export const statisticsCase = z.object({
  eval_id: z.number().int(),
  mean_a: share.nullable().describe('candidate; null: no run'),
  mean_b: share.nullable().describe('baseline'),
  runs_a: count,
  runs_b: count,
  difference: z.number().nullable(),
  ci_low: bound,
  ci_high: bound,
  flaky: z.boolean().describe('flakiness of 0.3 or more'),
  flakiness: share.describe('probability that two runs of the same arm end differently; the larger of the two arms'),
})

const tally = z.object({
  passed: count,
  total: count,
  score: share.optional().describe('mean score; absent: no verdict has its own score'),
})

export const statisticsExpectation = z.object({
  eval_id: z.number().int(),
  text: z.string(),
  indicator: z
    .enum(['author', 'skill_read', 'skill_script', 'skill_wording'])
    .nullable()
    .describe(
      'why only the arm with the skill can meet it: marked by the author, or found by a rule; left out of every rate here',
    ),
  diagnostic: z.literal(true).optional().describe("not in any rate, because the case's own reward rates its runs"),
  candidate: tally,
  baseline: tally,
  discrimination: z
    .number()
    .nullable()
    .describe('pass rate (or mean score, if there are scores), candidate − baseline; null: not decided in both arms'),
  p_value: share
    .optional()
    .describe('p-value of the exact permutation test; absent: the expectation cannot differ, or is an indicator'),
  p_adjusted: share.optional().describe('adjusted for the number of expectations (Benjamini and Hochberg)'),
  always_passes: z.boolean().describe('passes in every run, and with the same score if it has scores'),
  never_passes: z.boolean().describe('passes in no run, and with the same score if it has scores'),
  redundant_with: z.string().nullable().describe('an expectation of the same case with the same verdict in every run'),
})

export const statisticsComparison = z.object({
  eval_id: z.number().int(),
  p_value: share,
  p_adjusted: share,
  method: z.literal('holm'),
})

/** The differences that this many runs can detect, before any of them has started. */
export const detectable = z.object({
  power: share,
  these_cases: share.describe(
    'minimum detectable effect on these cases with this power; 1: no difference is detectable',
  ),
  cases_like_these: share
    .nullable()
    .describe(
      'the same for similar cases, where the difference varies between cases; null: too few cases, or adaptive stopping',
    ),
  fewest_runs: count
    .optional()
    .describe('runs per case and arm below which no result on these cases can be significant'),
  similar_cases: z
    .object({
      uniform: count.describe('if the difference is the same in every case'),
      varied_low: count.describe('if it varies, and the criteria of a run pass or fail independently'),
      varied_high: count.describe('if it varies, and each run meets all of its criteria or none'),
    })
    .optional()
    .describe('how many cases are enough for a verdict on similar cases with these runs; absent: adaptive stopping'),
})

export const untilLook = z.object({
  blocks: count.describe('blocks finished at this interim analysis; a block is one pair of runs of every case'),
  pairs: count.describe('pairs graded in both arms'),
  wins: count.describe('pairs in which the candidate has the higher pass rate'),
  losses: count,
  predictive_power: share
    .nullable()
    .optional()
    .describe(
      'probability that the remaining runs would show a difference; null: no pair yet, or no run left; absent: written by an older version',
    ),
  verdict,
  status: z
    .enum(['open', 'decided', 'futile', 'max_runs'])
    .describe('futile: more runs were unlikely to show a difference'),
})

export const until = z.object({
  rule: z.literal('decided'),
  max_runs: z.number().int().positive().describe('maximum number of blocks'),
  blocks: count.describe('analysed'),
  next: z.number().int().positive().nullable().describe('blocks at the next interim analysis; null: no further one'),
  stopped: z
    .enum(['decided', 'futile', 'max_runs'])
    .nullable()
    .describe('null: the rule has not ended the benchmark (a limit, an interruption or an error did)'),
  reason: z.string(),
  looks: z.array(untilLook),
})

export const statistics = z.looseObject({
  schema_version: z.union([z.literal(1), z.literal(2)]),
  alpha: z.number().gt(0).lt(1),
  seed: z.number().int().describe('seed of all random draws'),
  margin: z.number().positive().describe('a difference within ± margin counts as no difference'),
  scopes: z
    .object({ these_cases: scope, cases_like_these: scope })
    .nullable()
    .describe('null: only one arm, nothing to compare'),
  arms: z.record(
    z.string(),
    z.object({
      n_cases: count,
      n_runs: count,
      mean: share.describe('mean of the case means'),
      stddev: z.number().nonnegative().describe('over runs'),
      all_passed: count.describe('runs that met every decided expectation'),
      wilson: z.object({ ci_low: share, ci_high: share }).describe('Wilson interval of the share of such runs'),
    }),
  ),
  cases: z.array(statisticsCase),
  unpaired_cases: z
    .array(z.number().int())
    .optional()
    .describe('eval_id of each case graded in only one configuration; left out of the difference'),
  pass_at_k: z
    .record(z.string(), z.record(z.string(), share))
    .describe('by arm and k; absent if a case has fewer than k runs'),
  pass_hat_k: z.record(z.string(), z.record(z.string(), share)),
  ratios: z.object({ time_seconds: ratio.nullable(), tokens: ratio.nullable(), cost_usd: ratio.nullable() }),
  price: price
    .optional()
    .describe('whether the skill is worth its price, on these cases; absent: nothing to compare, or an older file'),
  variance: variance
    .optional()
    .describe('variance components; absent: nothing to compare, adaptive stopping, or an older file'),
  mde: z.object({
    power: share,
    these_cases: z.number().nullable().describe('minimum detectable effect with this many runs'),
    cases_like_these: z.number().nullable().describe('null: no t interval, or adaptive stopping'),
  }),
  missing_grades: missingGrades
    .optional()
    .describe(
      'present if the number of runs without a grade differs between the arms, or exceeds 5% of one, or if the agent had ended earlier attempts at several runs and over 5% of an arm: then there is no verdict, and no gate passes',
    ),
  until: until.optional().describe('result of --until decided; absent: the number of runs was fixed'),
  older_runs: olderRuns
    .optional()
    .describe('whether both configurations ran at the same time; absent: all runs were performed for this benchmark'),
  noise: noise.nullable().describe('null: not measured'),
  activation: z.record(
    z.string(),
    z.object({
      read: count,
      known: count.describe('runs where it is known whether the skill was read'),
      denied: count.optional().describe('runs whose call of the skill was denied; absent: none'),
      difference_when_read: z
        .number()
        .nullable()
        .describe('descriptive only, not part of the verdict: runs that read the skill differ in other ways too'),
    }),
  ),
  expectations: z.array(statisticsExpectation),
  comparisons: z.array(statisticsComparison).describe('one per case; p adjusted for the number of cases'),
  judge_difference: z
    .object({
      mean: z.number().describe('candidate − baseline, over cases with runs in both arms'),
      candidate_mean: share.optional(),
      baseline_mean: share.optional(),
      ci_low: z.number(),
      ci_high: z.number(),
      as_judged: z
        .object({ mean: z.number(), ci_low: z.number(), ci_high: z.number() })
        .optional()
        .describe(
          'by the verdicts of the judge; present where it favours a configuration: then scopes.these_cases has the corrected difference',
        ),
      errors: z
        .enum(['by_configuration', 'pooled'])
        .describe('whose labels the error rates come from: of each configuration, or all together'),
    })
    .nullish()
    .describe("the difference on these cases, corrected for the judge's errors; null or absent: cannot be corrected"),
})

export type Verdict = z.infer<typeof verdict>
export type MissingGrades = z.infer<typeof missingGrades>
export type ScopeDifference = z.infer<typeof scopeDifference>
export type Scope = z.infer<typeof scope>
export type Statistics = z.infer<typeof statistics>
export type StatisticsExpectation = z.infer<typeof statisticsExpectation>
export type Until = z.infer<typeof until>
export type UntilLook = z.infer<typeof untilLook>
export type Noise = z.infer<typeof noise>
