/** Benchmarks over time: one point each, the newest by version, model and agent, and their costs by month. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { Trend, TrendGroup, TrendPoint } from '../../../../schemas/trend.ts'
import { findArmSummary, findArms, isCalibration } from '../benchmark/arms.ts'
import { buildStatistics } from '../stats/build_statistics.ts'
import { round } from '../stats/numbers/round.ts'
import { isVerdictWithheld } from '../stats/scopes/observational.ts'
import { findHeadlineRates } from '../text/headline_rates.ts'
import { findLevelChanges } from './level_changes.ts'
import { costsByMonth, type ImproveCost, type TrendBenchmark } from './trend_costs.ts'

/** The order of `found` does not matter. Calibrations and nights of watch count only in the costs, recorded sessions only in those of judges. */
export function buildTrend(
  found: readonly TrendBenchmark[],
  improved: readonly ImproveCost[],
  left_out: Trend['left_out'],
): Trend {
  const steps = found
    .filter(({ benchmark, plan }) => plan?.watch !== true && !isCalibration(findArms(benchmark)))
    .filter(({ benchmark }) => benchmark.observational !== true)
    .map((one) => ({ point: toTrendPoint(one), benchmark: one.benchmark }))
    .sort(({ point: a }, { point: b }) =>
      a.timestamp === b.timestamp ? compareText(a.folder, b.folder) : compareText(a.timestamp, b.timestamp),
    )
  const changes = findLevelChanges(steps)
  const points = steps.map(({ point }): TrendPoint => {
    const level_change = changes.get(point.folder)
    return level_change === undefined ? point : { ...point, level_change }
  })
  return {
    schema_version: 1,
    points,
    by: {
      skill_version: groups(points, ({ skill_version }) => skill_version?.slice(0, 12)),
      model: groups(points, ({ model }) => model),
      agent_version: groups(points, nameTrendAgent),
    },
    costs: costsByMonth(found, improved),
    left_out,
  }
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function toTrendPoint({ folder, at, benchmark, plan }: TrendBenchmark): TrendPoint {
  const { metadata, runs } = benchmark
  const { scopes = null, unpaired_cases, missing_grades } = benchmark.statistics ?? {}
  const { name, command } = plan?.options.engine ?? {}
  const engine = command === undefined ? (name ?? metadata.engine) : `${name}:${command}`
  return {
    folder,
    timestamp: at.toISOString(),
    skill: metadata.skill_name,
    skill_version: plan?.skill.sha256 ?? null,
    suite_version: plan?.suite.sha256 ?? null,
    engine: typeof engine === 'string' ? engine : null,
    agent_version: typeof metadata.engine_version === 'string' ? metadata.engine_version : null,
    model: metadata.executor_model === '' ? null : metadata.executor_model,
    complete: benchmark.complete !== false && (unpaired_cases ?? []).length === 0 && !missing_grades,
    ...(benchmark.chosen && { chosen: benchmark.chosen }),
    cases: scopes?.these_cases.difference.n_cases ?? new Set(runs.map(({ eval_id }) => eval_id)).size,
    candidate: toTrendArm(benchmark, 'candidate'),
    baseline: toTrendArm(benchmark, 'baseline'),
    lift: toTrendLift(benchmark),
  }
}

/** Two commands are two agents, even if they report no version. */
function nameTrendAgent({ engine, agent_version }: TrendPoint): string | null {
  if (engine?.startsWith('command:') || engine?.startsWith('acp:'))
    return [engine, agent_version].filter(Boolean).join(' ')
  return agent_version && [engine, agent_version].join(' ')
}

/** With two configurations the rate of the headline, so that the rates subtract to the difference. */
function toTrendArm(benchmark: Benchmark, side: 'candidate' | 'baseline'): TrendPoint['candidate'] {
  const configuration = findArms(benchmark)[side]
  const summary = findArmSummary(benchmark, configuration)
  if (summary === null || configuration === null) return null
  const runs = benchmark.runs.filter((run) => run.configuration === configuration).length
  const mean = findHeadlineRates(benchmark)?.[side] ?? summary.pass_rate.mean
  return { configuration, mean: Math.min(1, Math.max(0, round(mean, 6))), runs }
}

/** A benchmark without statistics (another tool's) gets them from its runs. */
function toTrendLift(benchmark: Benchmark): TrendPoint['lift'] {
  const { scopes } =
    benchmark.statistics ??
    buildStatistics(benchmark.runs, findArms(benchmark), { leftOut: benchmark.excluded_runs ?? [] })
  const own = scopes?.these_cases
  if (own === undefined || own.difference.mean === null || isVerdictWithheld(own)) return null
  const { mean, ci_low, ci_high, p_value } = own.difference
  return { mean, ci_low, ci_high, p_value, verdict: own.verdict }
}

/**
 * By first appearance; benchmarks of another engine or against another baseline are a group of their own. Chosen cases, mostly ones that
 * failed, say little of a version, so they do not replace a whole benchmark.
 */
function groups(points: readonly TrendPoint[], nameOf: (point: TrendPoint) => string | null | undefined): TrendGroup[] {
  const found = new Map<string, TrendGroup>()
  for (const point of points) {
    const name = nameOf(point) ?? 'unknown'
    const key = JSON.stringify([point.skill, name, point.engine, point.baseline?.configuration])
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
