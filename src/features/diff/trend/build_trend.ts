/** Benchmarks over time: one point each, the newest by version, model and agent, and what they cost by month. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { Plan } from '../../../../schemas/plan.ts'
import type { Trend, TrendGroup, TrendMonth, TrendPoint } from '../../../../schemas/trend.ts'
import { sum } from '../../../base/totals.ts'
import { isCommandText } from '../../../engines/table.ts'
import { findArmSummary, findArms, isCalibration } from '../../../phases/4-report/benchmark/arms.ts'
import { runPassRate } from '../../../phases/4-report/benchmark/run_pass_rate.ts'
import { followLevel, type LevelRun } from '../../../phases/4-report/diff/level_evidence.ts'
import { buildStatistics } from '../../../phases/4-report/stats/build_statistics.ts'
import { round } from '../../../phases/4-report/stats/numbers/round.ts'
import { isVerdictWithheld } from '../../../phases/4-report/stats/scopes/observational.ts'
import { findHeadlineRates } from '../../../phases/4-report/text/headline.ts'

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
  if (engine !== null && isCommandText(engine)) return [engine, agent_version].filter(Boolean).join(' ')
  return agent_version && [engine, agent_version].join(' ')
}

/** With two configurations the rate of the headline. */
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

/** If nothing changes, at most one false mark is expected in this many benchmarks of a series. */
const benchmarksPerFalseMark = 100
/** The change to find soonest. */
const detect = 0.15

type LevelChange = NonNullable<TrendPoint['level_change']>

interface TrendStep {
  point: TrendPoint
  benchmark: Benchmark
}

/** By the folder of the benchmark at which the level changed. A series has one skill, suite, engine and model; `steps`: oldest first. */
function findLevelChanges(steps: readonly TrendStep[]): Map<string, LevelChange> {
  const series = new Map<string, TrendStep[]>()
  for (const step of steps.filter(isComparable)) {
    const { skill, suite_version, engine, model, candidate } = step.point
    const key = JSON.stringify([skill, suite_version, engine, model, candidate?.configuration])
    series.set(key, [...(series.get(key) ?? []), step])
  }
  return new Map([...series.values()].flatMap(markSeries))
}

/** Whole benchmarks whose runs with the skill all ran for it: a reused run would count twice. */
function isComparable({ point, benchmark }: TrendStep): boolean {
  const { candidate, complete, chosen } = point
  if (candidate === null || !complete || chosen !== undefined) return false
  return (benchmark.reused?.by_configuration[candidate.configuration] ?? 0) === 0
}

function markSeries(series: readonly TrendStep[]): [string, LevelChange][] {
  const numbers = new Map<string, number>()
  const all = series.map((step) => ({ folder: step.point.folder, runs: listCandidateRuns(step, numbers) }))
  const marks: [string, LevelChange][] = []
  for (let from = 0; from < all.length - 1; ) {
    const [first, ...later] = all.slice(from)
    const found = followLevel(first?.runs ?? [], later, {
      limit: benchmarksPerFalseMark,
      detect,
      direction: 'either',
      seed: 1,
    })
    const at = found.findIndex(({ isAlarm }) => isAlarm)
    const start = found[at]?.since ?? null
    if (start === null) return marks
    const changed = later[start]
    const before = found[start]?.expected ?? null
    const after = meanScore(later.slice(start, at + 1).flatMap(({ runs }) => runs))
    if (changed !== undefined && before !== null) {
      const direction = after < before ? 'down' : 'up'
      marks.push([changed.folder, { direction, from: before, to: after, found_at: later[at]?.folder ?? '' }])
    }
    from += start + 1
  }
  return marks
}

/** Cases are the same if id and name are. */
function listCandidateRuns({ point, benchmark }: TrendStep, numbers: Map<string, number>): LevelRun[] {
  return benchmark.runs
    .filter(({ configuration, result }) => configuration === point.candidate?.configuration && result.total > 0)
    .map((run) => {
      const name = JSON.stringify([run.eval_id, run.eval_name])
      const eval_id = numbers.get(name) ?? numbers.size
      numbers.set(name, eval_id)
      return { eval_id, score: runPassRate(run) }
    })
}

function meanScore(runs: readonly LevelRun[]): number {
  return runs.reduce((sum, { score }) => sum + score, 0) / Math.max(1, runs.length)
}

/** The cost of an iteration of the improve loop, without its benchmarks. */
export interface ImproveCost {
  at: Date
  usd: number | null
}

/** Oldest month first; reused runs count where they were paid for. */
function costsByMonth(found: readonly TrendBenchmark[], improved: readonly ImproveCost[]): TrendMonth[] {
  const months = [...new Set([...found, ...improved].map(({ at }) => formatMonth(at)))].sort()
  return months.map((month) => {
    const own = found.filter(({ at }) => formatMonth(at) === month)
    const performed = own.filter(({ benchmark }) => benchmark.observational !== true) // a person paid for the sessions
    const iterations = improved.filter(({ at }) => formatMonth(at) === month)
    return {
      month,
      benchmarks: performed.length,
      agent_usd: sumCosts(performed.map(agentPaid)),
      judge_usd: sumCosts(own.flatMap(judgePaid)),
      improve_usd: sumCosts(iterations.map(({ usd }) => usd)),
      unknown_runs: performed.reduce((all, one) => all + unknownRuns(one), 0),
    }
  })
}

function formatMonth(at: Date): string {
  return at.toISOString().slice(0, 7)
}

function agentPaid({ benchmark: { cost, reused } }: TrendBenchmark): number | null {
  return less(cost?.agent_usd, reused === undefined ? 0 : reused.agent_usd)
}

function judgePaid({ benchmark: { cost, reused } }: TrendBenchmark): (number | null)[] {
  return [less(cost?.judge_usd, reused?.judge_usd ?? 0), ...(cost?.again_usd === undefined ? [] : [cost.again_usd])]
}

/** Only runs of this benchmark: a reused run of unknown cost counts where it ran. */
function unknownRuns({ benchmark: { cost, reused, runs } }: TrendBenchmark): number {
  const unknown = cost?.unknown_runs ?? runs.length
  return reused === undefined || reused.agent_usd !== null ? unknown : Math.max(0, unknown - reused.runs)
}

function less(all: number | null | undefined, reused: number | null): number | null {
  return all === null || all === undefined ? null : Math.max(0, all - (reused ?? 0))
}

function sumCosts(amounts: readonly (number | null)[]): number | null {
  const known = amounts.flatMap((one) => one ?? [])
  return known.length === 0 ? null : round(sum(known), 6)
}

/** A benchmark as it is on disk; `at`: when it ran. */
export interface TrendBenchmark {
  folder: string
  at: Date
  benchmark: Benchmark
  /** null: another tool wrote it, or it is older than plans. */
  plan: TrendPlan | null
}

export type TrendPlan = Pick<Plan, 'skill' | 'suite' | 'options' | 'watch'>
