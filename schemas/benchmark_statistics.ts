/** `statistics` in `benchmark.json`: how large the difference is, how sure, for which cases, by which method. Rates and differences from 0 to 1. */
import { z } from 'zod'

const count = z.number().int().nonnegative()
const share = z.number().min(0).max(1)
const bound = z.number().nullable().describe('null: no interval is offered')

export const verdict = z.enum(['helps', 'hurts', 'no_difference', 'inconclusive'])

export const scopeDifference = z.object({
  mean: z
    .number()
    .nullable()
    .describe('candidate − baseline, the mean over cases; null: no case has runs in both arms'),
  ci_low: bound,
  ci_high: bound,
  method: z
    .enum(['within_case_t', 'wilson_newcombe', 'betting_sequence', 'paired_t', 'beta_bound'])
    .nullable()
    .describe('of the interval; wilson_newcombe and beta_bound are bounds: at least as wide as the confidence asks'),
  p_value: share
    .nullable()
    .describe('null: nothing to test; for cases like these also where looks ended the runs (until)'),
  p_method: z
    .enum([
      'permutation_exact',
      'permutation_draws',
      'permutation_normal',
      'sign_flip_exact',
      'sign_flip_draws',
      'sign_flip_normal',
      'e_value',
    ])
    .nullable(),
  n_cases: count.describe('cases with runs in both arms'),
  n_runs: count.describe('their runs, both arms'),
})

export const scope = z.object({
  difference: scopeDifference,
  verdict,
  rule: z.string().describe('what decided the verdict'),
  sentence: z.string(),
  needed: z
    .number()
    .int()
    .positive()
    .nullable()
    .describe(
      'these_cases: runs a case and arm, cases_like_these: cases, that would be enough; null: unknown or decided',
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
  flakiness: share.describe('the chance that two runs of the same arm end differently; of the arms the larger'),
})

const tally = z.object({ passed: count, total: count })

export const statisticsExpectation = z.object({
  eval_id: z.number().int(),
  text: z.string(),
  indicator: z
    .enum(['author', 'skill_read', 'skill_script', 'skill_wording'])
    .nullable()
    .describe(
      'why only the arm with the skill can meet it: the mark of the author, or a rule; left out of every rate here',
    ),
  candidate: tally,
  baseline: tally,
  discrimination: z.number().nullable().describe('candidate − baseline of the rates; null: not decided in both arms'),
  always_passes: z.boolean(),
  never_passes: z.boolean(),
  redundant_with: z.string().nullable().describe('an expectation of the same case with the same verdict in every run'),
})

export const statisticsComparison = z.object({
  eval_id: z.number().int(),
  p_value: share,
  p_adjusted: share,
  method: z.literal('holm'),
})

const noise = z.object({
  calibration: z
    .object({
      difference: z.number(),
      floor: z.number(),
      n_runs: count,
      runs: count.optional().describe('fewest runs a case and arm'),
      made: z.string().optional().describe('created_at of the calibration'),
    })
    .nullable()
    .describe('the baseline against itself: the difference found, and the half width of its interval'),
  grading: z
    .object({
      execution_variance: z
        .number()
        .nullable()
        .describe('between the runs of a case and arm, without what grading adds; null: no case and arm has two runs'),
      grading_variance: z.number().describe('between gradings of the same transcript'),
      n_runs: count,
      gradings: count.describe('of these runs, the first one of each too'),
    })
    .nullable()
    .describe('the same transcripts graded again, score by score'),
})

/** What so many runs can see, before they are made. */
export const detectable = z.object({
  power: share,
  these_cases: share.describe('the smallest difference that these runs find on these cases with that power; 1: none'),
  cases_like_these: share
    .nullable()
    .describe('likewise for cases like these; null: too few cases, or looks ended the runs'),
})

export const untilLook = z.object({
  blocks: count.describe('the look is after so many blocks: one pair of every case each'),
  pairs: count.describe('graded in both arms'),
  wins: count.describe('pairs in which the candidate meets the larger share of its expectations'),
  losses: count,
  e_value: z.number().nonnegative().describe('against "both arms equal on every case"; decides at 1/alpha'),
  verdict,
  status: z.enum(['open', 'decided', 'futile', 'max_runs']),
})

export const until = z.object({
  rule: z.literal('decided'),
  max_runs: z.number().int().positive().describe('blocks at most'),
  blocks: count.describe('looked at'),
  next: z.number().int().positive().nullable().describe('blocks at the next look; null: it has ended'),
  stopped: z
    .enum(['decided', 'futile', 'max_runs'])
    .nullable()
    .describe('null: not ended; a limit, an interruption or an error came first'),
  reason: z.string(),
  looks: z.array(untilLook),
})

export const statistics = z.looseObject({
  schema_version: z.literal(1),
  alpha: z.number().gt(0).lt(1),
  seed: z.number().int().describe('of every draw'),
  margin: z.number().positive().describe('a difference inside ± margin counts as none'),
  scopes: z
    .object({ these_cases: scope, cases_like_these: scope })
    .nullable()
    .describe('null: one arm, nothing to compare with'),
  arms: z.record(
    z.string(),
    z.object({
      n_cases: count,
      n_runs: count,
      mean: share.describe('of the case means'),
      stddev: z.number().nonnegative().describe('of the runs'),
      all_passed: count.describe('runs that met every decided expectation'),
      wilson: z.object({ ci_low: share, ci_high: share }).describe('of the share of such runs'),
    }),
  ),
  cases: z.array(statisticsCase),
  pass_at_k: z
    .record(z.string(), z.record(z.string(), share))
    .describe('by arm and k; absent where a case has fewer runs'),
  pass_hat_k: z.record(z.string(), z.record(z.string(), share)),
  ratios: z.object({ time_seconds: ratio.nullable(), tokens: ratio.nullable(), cost_usd: ratio.nullable() }),
  mde: z.object({
    power: share,
    these_cases: z.number().nullable().describe('the smallest difference that this many runs would find'),
    cases_like_these: z.number().nullable(),
  }),
  until: until.optional().describe('of --until decided; absent: the number of runs was fixed'),
  noise: noise.nullable().describe('null: not measured'),
  activation: z.record(
    z.string(),
    z.object({
      read: count,
      known: count.describe('runs of which it is known'),
      difference_when_read: z
        .number()
        .nullable()
        .describe('a description, never the verdict: runs that read differ in more'),
    }),
  ),
  expectations: z.array(statisticsExpectation),
  comparisons: z.array(statisticsComparison).describe('one a case, p adjusted for their number'),
  judge: z
    .record(
      z.string(),
      z.object({
        rate: share,
        ci_low: share,
        ci_high: share,
        judged_share: share
          .optional()
          .describe('of the rate, what the judge decided: that part alone is corrected; absent: all of it'),
        method: z.literal('lee'),
      }),
    )
    .nullable()
    .describe("by arm, corrected for the judge's errors; null, or without an arm: see audit.withheld"),
})

export type Verdict = z.infer<typeof verdict>
export type ScopeDifference = z.infer<typeof scopeDifference>
export type Scope = z.infer<typeof scope>
export type Statistics = z.infer<typeof statistics>
export type StatisticsExpectation = z.infer<typeof statisticsExpectation>
export type Until = z.infer<typeof until>
export type UntilLook = z.infer<typeof untilLook>
export type Noise = z.infer<typeof noise>
