/** The benchmarks at which the pass rate with the skill changed its level, by the test of `watch` in both directions. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { TrendPoint } from '../../../../schemas/trend.ts'
import { runPassRate } from '../benchmark/run_pass_rate.ts'
import { followLevel, type LevelRun } from './level_evidence.ts'

/** If nothing changes, at most one false mark is expected in this many benchmarks of a series. */
const benchmarksPerFalseMark = 100
/** The change to find soonest. */
const detect = 0.15

export type LevelChange = NonNullable<TrendPoint['level_change']>

export interface TrendStep {
  point: TrendPoint
  benchmark: Benchmark
}

/** By the folder of the benchmark at which the level changed. A series has one skill, engine and model; `steps`: oldest first. */
export function findLevelChanges(steps: readonly TrendStep[]): Map<string, LevelChange> {
  const series = new Map<string, TrendStep[]>()
  for (const step of steps.filter(isComparable)) {
    const { skill, engine, model } = step.point
    const key = JSON.stringify([skill, engine, model])
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
