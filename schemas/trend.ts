/** `trend.json`, and what `whetstone diff <folder> --json` prints: the benchmarks below a folder over time. Rates from 0 to 1. */
import * as z from 'zod'
import { verdict } from './benchmark_statistics.ts'
import { chosenCases } from './suite.ts'

const known = z.string().nullable().describe('null: not recorded')
const count = z.number().int().nonnegative()
const dollars = z.number().nullable().describe('only of benchmarks whose cost is known; null: none known')

const arm = z.object({ configuration: z.string(), mean: z.number().min(0).max(1), runs: count })

export const trendLift = z.object({
  mean: z.number(),
  ci_low: z.number().nullable(),
  ci_high: z.number().nullable(),
  p_value: z.number().nullable(),
  verdict,
})

export const trendPoint = z.object({
  folder: z.string().describe('path as found'),
  timestamp: z.iso.datetime(),
  skill: z.string(),
  skill_version: known.describe('sha256 of the skill; null: not recorded'),
  suite_version: known,
  engine: known.describe('name of the engine, or command:<command line>; null: not recorded'),
  agent_version: known.describe('version that the agent reported'),
  model: known,
  complete: z.boolean(),
  chosen: chosenCases.optional().describe('the benchmark covers only these cases; absent: the whole suite'),
  cases: count,
  candidate: arm.nullable().describe('null: no graded run'),
  baseline: arm.nullable(),
  level_change: z
    .object({
      direction: z.enum(['up', 'down']),
      from: z.number().describe('pass rate with the skill that earlier benchmarks let expect'),
      to: z.number().describe('mean since then, until it was found'),
      found_at: z.string().describe('folder of the benchmark with which it was found'),
    })
    .optional()
    .describe('the pass rate with the skill changed its level here; absent: no evidence of it'),
  lift: trendLift.nullable().describe('difference on its own cases, without indicators; null: nothing to compare'),
})

export const trendGroup = z.object({
  skill: z.string(),
  name: z.string().describe('the version or model; unknown: not recorded'),
  benchmarks: count,
  first: z.iso.datetime(),
  newest: trendPoint.describe(
    'newest benchmark, of a whole suite if there is one; runs of several benchmarks are never pooled, because some may be the same reused runs',
  ),
})

export const trendMonth = z.object({
  month: z.string().describe('2026-01, UTC'),
  benchmarks: count.describe('number of benchmarks, including calibrations'),
  agent_usd: dollars.describe('reused runs count in the month in which they ran'),
  judge_usd: dollars.describe('including repeated gradings'),
  improve_usd: dollars.describe('from history.json'),
  unknown_runs: count.describe('runs of unknown cost'),
})

export const trend = z.object({
  schema_version: z.literal(1),
  points: z.array(trendPoint).describe('oldest first'),
  by: z.object({
    skill_version: z.array(trendGroup),
    model: z.array(trendGroup),
    agent_version: z.array(trendGroup),
  }),
  costs: z.array(trendMonth),
  left_out: z.array(z.object({ file: z.string(), message: z.string() })),
})

export type Trend = z.infer<typeof trend>
export type TrendPoint = z.infer<typeof trendPoint>
export type TrendGroup = z.infer<typeof trendGroup>
export type TrendMonth = z.infer<typeof trendMonth>
