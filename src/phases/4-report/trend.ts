/** Benchmarks over time: one point each, the newest of each version, model and agent, and what they cost by month. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { Plan } from '../../../schemas/plan.ts'
import type { Trend, TrendGroup, TrendPoint } from '../../../schemas/trend.ts'
import { armSummary, armsOf, isCalibration } from './arms.ts'
import { buildStatistics } from './stats/build.ts'
import { round } from './stats/round.ts'
import { costsByMonth, type Improved } from './trend_costs.ts'

/** What is on disk of one; `at`: when it was made. */
export interface Found {
  folder: string
  at: Date
  benchmark: Benchmark
  /** null: another tool's, or older than plans. */
  plan: TrendPlan | null
}

export type TrendPlan = Pick<Plan, 'skill' | 'suite' | 'options'>

/** The order of `found` does not matter. Calibrations are in the costs alone. */
export function trendOf(found: readonly Found[], improved: readonly Improved[], left_out: Trend['left_out']): Trend {
  const points = found
    .filter(({ benchmark }) => !isCalibration(armsOf(benchmark)))
    .map(pointOf)
    .sort((a, b) => (a.timestamp === b.timestamp ? compare(a.folder, b.folder) : compare(a.timestamp, b.timestamp)))
  return {
    schema_version: 1,
    points,
    by: {
      skill_version: groups(points, ({ skill_version }) => skill_version?.slice(0, 12)),
      model: groups(points, ({ model }) => model),
      agent_version: groups(points, agentOf),
    },
    costs: costsByMonth(found, improved),
    left_out,
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function pointOf({ folder, at, benchmark, plan }: Found): TrendPoint {
  const { metadata, runs } = benchmark
  const arms = armsOf(benchmark)
  const { name, command } = plan?.options.engine ?? {}
  const engine = command === undefined ? (name ?? metadata.engine) : `command:${command}`
  return {
    folder,
    timestamp: at.toISOString(),
    skill: metadata.skill_name,
    skill_version: plan?.skill.sha256 ?? null,
    suite_version: plan?.suite.sha256 ?? null,
    engine: typeof engine === 'string' ? engine : null,
    agent_version: typeof metadata.engine_version === 'string' ? metadata.engine_version : null,
    model: metadata.executor_model === '' ? null : metadata.executor_model,
    complete: benchmark.complete !== false,
    ...(benchmark.chosen && { chosen: benchmark.chosen }),
    cases: new Set(runs.map(({ eval_id }) => eval_id)).size,
    candidate: armOf(benchmark, arms.candidate),
    baseline: armOf(benchmark, arms.baseline),
    lift: liftOf(benchmark),
  }
}

/** Two commands are two agents, though they tell no version. */
function agentOf({ engine, agent_version }: TrendPoint): string | null {
  if (engine?.startsWith('command:')) return [engine, agent_version].filter(Boolean).join(' ')
  return agent_version && [engine, agent_version].join(' ')
}

function armOf(benchmark: Benchmark, configuration: string | null): TrendPoint['candidate'] {
  const summary = armSummary(benchmark, configuration)
  if (summary === null || configuration === null) return null
  const runs = benchmark.runs.filter((run) => run.configuration === configuration).length
  return { configuration, mean: Math.min(1, Math.max(0, round(summary.pass_rate.mean, 6))), runs }
}

/** Of a benchmark without statistics (another tool's) they are made from its runs. */
function liftOf(benchmark: Benchmark): TrendPoint['lift'] {
  const { scopes } = benchmark.statistics ?? buildStatistics(benchmark.runs, armsOf(benchmark))
  const own = scopes?.these_cases
  if (own === undefined || own.difference.mean === null) return null
  const { mean, ci_low, ci_high, p_value } = own.difference
  return { mean, ci_low, ci_high, p_value, verdict: own.verdict }
}

/** In the order in which each was first seen. Cases that were picked, mostly because they failed, say little of a version. */
function groups(points: readonly TrendPoint[], nameOf: (point: TrendPoint) => string | null | undefined): TrendGroup[] {
  const found = new Map<string, TrendGroup>()
  for (const point of points) {
    const name = nameOf(point) ?? 'unknown'
    const key = JSON.stringify([point.skill, name])
    const before = found.get(key)
    const { skill, timestamp } = point
    found.set(key, {
      skill,
      name,
      benchmarks: (before?.benchmarks ?? 0) + 1,
      first: before?.first ?? timestamp,
      newest: before !== undefined && point.chosen && !before.newest.chosen ? before.newest : point,
    })
  }
  return [...found.values()]
}
