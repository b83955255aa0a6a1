/** What `whetstone diff --json` prints: one arm of a benchmark against the same arm of another. Rates and differences from 0 to 1. */
import * as z from 'zod'
import { scope, statistics } from './benchmark_statistics.ts'

const side = z.object({
  name: z.string().describe('as given by the user'),
  configuration: z.string().nullable().describe('the arm that is compared; null: the benchmark has none'),
  timestamp: z.string(),
})

export const planDifference = z.object({
  what: z.string(),
  before: z.string().nullable().describe('null: not recorded'),
  after: z.string().nullable(),
})

const share = z.number().min(0).max(1).nullable().describe('mean over its runs; null: no run')

export const caseChange = z.object({
  name: z.string().describe("the suite's own key of the case, otherwise its name"),
  change: z
    .enum(['improved', 'regressed', 'within_chance', 'same', 'appeared', 'vanished'])
    .describe('improved, regressed: p, adjusted for the number of cases, is at most alpha'),
  before: share,
  after: share,
  difference: z.number().nullable(),
  ci_low: z.number().nullable(),
  ci_high: z.number().nullable(),
  p_adjusted: z.number().nullable(),
})

const tally = z.object({ passed: z.number().int(), total: z.number().int() })

export const turnedExpectation = z.object({
  case: z.string(),
  text: z.string(),
  before: tally,
  after: tally,
  p_adjusted: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      'p-value of the exact permutation test, adjusted for the number of expectations (Benjamini and Hochberg); absent in older files',
    ),
})

const counted = scope.omit({ sentence: true })

export const benchmarkDiff = z.object({
  schema_version: z.literal(1),
  before: side,
  after: side,
  plan: z.array(planDifference),
  alpha: z.number(),
  scopes: z
    .object({ these_cases: counted, cases_like_these: counted })
    .nullable()
    .describe('difference after − before; helps: after is better'),
  missing_grades: statistics.shape.missing_grades,
  ratios: statistics.shape.ratios,
  cases: z.array(caseChange).describe('worst first'),
  turned: z.array(turnedExpectation).describe('only expectations whose p_adjusted is at most alpha'),
})

export type BenchmarkDiff = z.infer<typeof benchmarkDiff>
export type CaseChange = z.infer<typeof caseChange>
export type PlanDifference = z.infer<typeof planDifference>
export type TurnedExpectation = z.infer<typeof turnedExpectation>
