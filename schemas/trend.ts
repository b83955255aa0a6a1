/** `trend.json`, and what `whetstone diff <folder> --json` prints: the benchmarks below a folder over time. Rates from 0 to 1. */
import * as z from 'zod'
import { verdict } from './benchmark_statistics.ts'
import { chosenCases } from './suite.ts'

const known = z.string().nullable().describe('null: it does not say')
const count = z.number().int().nonnegative()
const dollars = z.number().nullable().describe('null: known of none')

const arm = z.object({ configuration: z.string(), mean: z.number().min(0).max(1), runs: count })

export const trendLift = z.object({
  mean: z.number(),
  ci_low: z.number().nullable(),
  ci_high: z.number().nullable(),
  p_value: z.number().nullable(),
  verdict,
})

export const trendPoint = z.object({
  folder: z.string().describe('as it was found'),
  timestamp: z.iso.datetime(),
  skill: z.string(),
  skill_version: known.describe('sha256 of the skill; null: it does not say'),
  suite_version: known,
  engine: known.describe('command:<command line> where it is one; null: it does not say'),
  agent_version: known.describe('of the agent, as it said itself'),
  model: known,
  complete: z.boolean(),
  chosen: chosenCases.optional().describe('it is of these cases alone; absent: of the whole suite'),
  cases: count,
  candidate: arm.nullable().describe('null: no graded run'),
  baseline: arm.nullable(),
  lift: trendLift.nullable().describe('on its own cases, indicators left out; null: nothing to compare'),
})

export const trendGroup = z.object({
  skill: z.string(),
  name: z.string().describe('the version or model; unknown: it does not say'),
  benchmarks: count,
  first: z.iso.datetime(),
  newest: trendPoint.describe(
    'of a whole suite where there is one; runs of several benchmarks are never thrown together: some may be the same, reused',
  ),
})

export const trendMonth = z.object({
  month: z.string().describe('2026-01, UTC'),
  benchmarks: count.describe('calibrations too'),
  agent_usd: dollars.describe('what was reused is paid where it was made'),
  judge_usd: dollars.describe('gradings again too'),
  improve_usd: dollars.describe('of history.json'),
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
