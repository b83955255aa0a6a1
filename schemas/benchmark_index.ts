/** `index.json`: several benchmarks in one table: many skills, or one suite on several engines and models. */
import * as z from 'zod'
import { summaryStats } from './benchmark.ts'
import { chosenCases } from './suite.ts'

/** One arm of a benchmark, in means over its graded runs; null: not known. */
export const indexArm = z.object({
  pass_rate: summaryStats.nullable().describe('null: no graded run'),
  runs: z.number().int().nonnegative().describe('graded runs'),
  tokens: z.number().nullable(),
  time_seconds: z.number().nullable(),
  cost_usd: z.number().nullable(),
})

/** The difference on the benchmark's own cases, from its `statistics`, with a p-value adjusted for the other rows of the index. */
export const indexLift = z.object({
  mean: z.number(),
  ci_low: z.number().nullable(),
  ci_high: z.number().nullable(),
  p_value: z.number().nullable().describe('within this benchmark, not adjusted'),
  p_adjusted: z
    .number()
    .nullable()
    .describe('adjusted by Holm over all rows that have a p-value and cover a whole suite'),
  change: z.enum(['better', 'worse', 'within_chance']).describe('better, worse: p_adjusted is at most alpha'),
})

const indexDifference = z.object({
  mean: z.number(),
  ci_low: z.number(),
  ci_high: z.number(),
  p_value: z.number().describe('not adjusted'),
  p_adjusted: z.number().describe('adjusted by Holm over the pairs of this index'),
})

/** Two engines or models on the same suite. */
export const indexPair = z.object({
  skill: z.string(),
  first: z.string().describe('cell of a row'),
  second: z.string(),
  n_cases: z.number().int().nonnegative().describe('cases graded with the skill in both'),
  with_skill: indexDifference.nullable().describe('pass rate with the skill, first − second, paired by case'),
  lift: indexDifference
    .nullable()
    .describe('what the skill adds, first − second: whether it helps one model more than the other'),
  reason: z.string().nullable().describe('why the pair, or its lifts, could not be tested'),
})

/** Whether another row has a higher pass rate at a lower price. */
export const indexFront = z.object({
  status: z
    .enum(['front', 'open', 'dominated'])
    .describe(
      'front: no row does in the estimates; open: one does, but this may be chance; dominated: shown by a test',
    ),
  by: z.string().nullable().describe('the row that dominates it: its cell, or its skill'),
})

export const indexRow = z.object({
  skill: z.string().describe('name of the skill; its path if the name could not be read'),
  cell: z.string().nullable().describe('engine:model in a matrix, or a pair of configurations; null: neither'),
  status: z
    .enum(['done', 'incomplete', 'failed', 'unbenched'])
    .describe('failed: no benchmark, see error; unbenched: no benchmark was requested, the row lists other results'),
  error: z.object({ message: z.string(), fix: z.string().nullable() }).nullable(),
  folder: z.string().nullable().describe('the benchmark folder, relative to the index'),
  report: z.string().nullable().describe('its report.html, relative to the index'),
  headline: z.string().nullable(),
  incomplete: z.string().nullable().describe('why it is incomplete'),
  candidate: indexArm.nullable(),
  baseline: indexArm.nullable(),
  delta: z.number().nullable().describe('mean pass rate, candidate − baseline; null: an arm has no graded run'),
  suspicious_runs: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('graded runs with text that seems to instruct the judge; absent: none'),
  chosen: chosenCases
    .optional()
    .describe('the row covers only these cases and counts neither as better nor as worse; absent: the whole suite'),
  beside: z
    .array(
      z.object({
        tab: z.enum(['triggers', 'improve', 'prune', 'sessions']),
        text: z.string(),
        report: z
          .string()
          .optional()
          .describe('its own report.html, relative to the index; absent: the page of the row'),
      }),
    )
    .optional()
    .describe('other results in its workspace, and the tab of its page that shows them; absent: none'),
  front: indexFront
    .optional()
    .describe('absent: alone on its suite, price or pass rate unknown, or written by an older version'),
  lift: indexLift.nullable().describe('null: nothing to compare, or no statistics'),
})

export const benchmarkIndex = z.object({
  schema_version: z.literal(1),
  created_at: z.iso.datetime(),
  judge: z.string().nullable().describe('the judge shared by a matrix; null: no judge needed, or one per skill'),
  calibrations: z.boolean().optional().describe('true: each row compares the baseline with itself'),
  comparisons: z
    .boolean()
    .optional()
    .describe('true: each cell is a pair of configurations of one skill, such as whole plugin against skill alone'),
  alpha: z.number().describe('significance level used for change'),
  pairs: z.array(indexPair).optional().describe('engines and models of a matrix against each other; absent: no matrix'),
  front_axes: z
    .enum(['rate_and_cost', 'rate_and_tokens', 'lift_and_cost', 'lift_and_tokens'])
    .optional()
    .describe('what front compares; lift: skills with different suites, by what they add, not tested'),
  rows: z
    .array(indexRow)
    .describe(
      'sorted by lift.mean (by delta if there is no lift), largest first; then rows of chosen cases, then rows without lift and delta, then rows without a benchmark',
    ),
})

export type IndexLift = z.infer<typeof indexLift>
export type IndexPair = z.infer<typeof indexPair>
export type IndexFront = z.infer<typeof indexFront>
export type IndexArm = z.infer<typeof indexArm>
export type IndexRow = z.infer<typeof indexRow>
export type BenchmarkIndex = z.infer<typeof benchmarkIndex>
