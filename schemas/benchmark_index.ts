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
  p_value: z.number().nullable().describe('of this benchmark alone'),
  p_adjusted: z.number().nullable().describe('by Holm, for all rows that have a p and are of a whole suite'),
  change: z.enum(['better', 'worse', 'within_chance']).describe('better and worse: p_adjusted is at most alpha'),
})

export const indexRow = z.object({
  skill: z.string().describe("the skill's name; its path where no name could be read"),
  cell: z.string().nullable().describe('engine:model of a matrix; null without a matrix'),
  status: z
    .enum(['done', 'incomplete', 'failed', 'unbenched'])
    .describe('failed: no benchmark, see error; unbenched: none was asked for, see beside'),
  error: z.object({ message: z.string(), fix: z.string().nullable() }).nullable(),
  folder: z.string().nullable().describe('the benchmark folder, relative to the index'),
  report: z.string().nullable().describe('its report.html, relative to the index'),
  headline: z.string().nullable(),
  incomplete: z.string().nullable().describe('what keeps it from being complete'),
  candidate: indexArm.nullable(),
  baseline: indexArm.nullable(),
  delta: z.number().nullable().describe('candidate − baseline of the mean pass rates; null where an arm has none'),
  suspicious_runs: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('graded runs with text that seems to instruct the judge; absent: none'),
  chosen: chosenCases
    .optional()
    .describe(
      'the row is of these cases alone, and counted neither as better nor as worse; absent: of the whole suite',
    ),
  beside: z
    .array(z.object({ tab: z.enum(['triggers', 'improve']), text: z.string() }))
    .optional()
    .describe('what else its workspace holds, and the tab of its page that shows it; absent: nothing'),
  lift: indexLift.nullable().describe('null: nothing to compare, or no statistics'),
})

export const benchmarkIndex = z.object({
  schema_version: z.literal(1),
  created_at: z.iso.datetime(),
  judge: z.string().nullable().describe('the one judge of a matrix; null: none needed, or each skill its own'),
  calibrations: z.boolean().optional().describe('true: each row is the baseline against itself'),
  alpha: z.number().describe('of change'),
  rows: z
    .array(indexRow)
    .describe(
      'largest lift.mean first, delta where there is none; behind them those of chosen cases, then those without either, those without a benchmark last',
    ),
})

export type IndexLift = z.infer<typeof indexLift>
export type IndexArm = z.infer<typeof indexArm>
export type IndexRow = z.infer<typeof indexRow>
export type BenchmarkIndex = z.infer<typeof benchmarkIndex>
