/** Decides which runs that are too old are run again, a sample or all, and tests whether their results have drifted. */
import type { GradedExpectation } from '../../../../../schemas/grading.ts'
import type { DriftTest } from '../../../../../schemas/older_runs.ts'
import { countEach } from '../../../../base/totals.ts'
import { round } from '../../stats/numbers/round.ts'
import { scoreExpectations } from '../../stats/scores/scored_runs.ts'
import { usualOptions } from '../../stats/statistics_options.ts'
import { permuteWithinCases } from '../../stats/tests/permutation.ts'
import type { StaleRun } from './stale_runs.ts'

type CaseRun = StaleRun<{ run_id: string; eval_id: number; run_number: number; configuration: string }>

interface RunsAgainRequest<S> {
  stale: readonly S[]
  /** Runs that an earlier start of the same benchmark sampled. */
  sampledBefore: readonly { eval_id: number; configuration: string }[]
  /** Configurations in which an earlier start found drift. */
  drifted: ReadonlySet<string>
  /** False: nothing is sampled, all are run again. */
  samples: boolean
}

export interface RunsAgain<S> {
  configuration: string
  older: number
  again: S[]
  /** True: the new results are compared with the older ones. False: the older ones are all replaced. */
  tested: boolean
}

/** A run on another model or engine version is always replaced. */
export function chooseRunsAgain<S extends CaseRun>(request: RunsAgainRequest<S>): RunsAgain<S>[] {
  const configurations = [...new Set(request.stale.map(({ run }) => run.configuration))]
  return configurations.flatMap((configuration) => {
    const own = request.stale.filter(({ run }) => run.configuration === configuration)
    const aged = own.filter(({ why }) => why === 'age')
    const before = request.sampledBefore.filter((run) => run.configuration === configuration)
    const canSample = request.samples && aged.length === own.length && !request.drifted.has(configuration)
    const sample = canSample
      ? chooseDriftSample(
          aged,
          before.map(({ eval_id }) => eval_id),
        )
      : own
    const tested = sample.length < own.length
    return sample.length === 0 ? [] : { configuration, older: own.length + before.length, again: sample, tested }
  })
}

const leastShare = 0.2
/** Beyond so many cases not each one needs a sampled run. */
const mostCases = 20

/**
 * At least a fifth, one for each case up to 20, and enough for the test to detect a complete change; at most all. `already`: cases of runs
 * sampled by an earlier start of the same benchmark, which count.
 */
export function chooseDriftSample<S extends CaseRun>(stale: readonly S[], already: readonly number[] = []): S[] {
  const oldest = [...stale].sort((a, b) => a.at - b.at || a.run.run_number - b.run.run_number)
  const older = countEach([...stale.map(({ run }) => run.eval_id), ...already])
  const total = stale.length + already.length
  const least = Math.max(Math.ceil(leastShare * total), Math.min(mostCases, older.size))
  const sampled = countEach(already)
  const chosen: S[] = []
  const isEnough = () => {
    const cells = [...older].map(([id, count]) => ({ fresh: sampled.get(id) ?? 0, older: count }))
    return already.length + chosen.length >= least && smallestDriftP(cells) <= driftAlpha
  }
  for (let next = takeNext(oldest, sampled); next !== null; next = takeNext(oldest, sampled)) {
    if (isEnough()) break
    chosen.push(next)
    sampled.set(next.run.eval_id, (sampled.get(next.run.eval_id) ?? 0) + 1)
  }
  return chosen
}

/** Removes and returns the oldest run of the cases with the fewest sampled runs; null: none is left. */
function takeNext<S extends CaseRun>(oldest: S[], sampled: ReadonlyMap<number, number>): S | null {
  const count = ({ run }: S) => sampled.get(run.eval_id) ?? 0
  const fewest = oldest.reduce((least, one) => Math.min(least, count(one)), Number.POSITIVE_INFINITY)
  const [next = null] = oldest.splice(
    oldest.findIndex((one) => count(one) === fewest),
    1,
  )
  return next
}

/** A false alarm costs some runs, a missed drift a wrong verdict: hence not the usual 0.05. */
const driftAlpha = 0.1

/** The smallest p that so many runs could give: when every new result differs from every older one. */
export function smallestDriftP(cases: readonly { fresh: number; older: number }[]): number {
  return cases.reduce((p, { fresh, older }) => p / countSelections(fresh + older, fresh), 1)
}

/** In how many ways `some` of `all` can be selected. */
function countSelections(all: number, some: number): number {
  let count = 1
  for (let at = 1; at <= some; at += 1) count *= (all - some + at) / at
  return count
}

export interface DriftResult {
  eval_id: number
  run_number: number
  expectations: readonly GradedExpectation[]
}

interface DriftTestInput {
  configuration: string
  fresh: readonly DriftResult[]
  /** The older results of the same configuration, those of the same run numbers too. */
  older: readonly DriftResult[]
  /** Whether wording rules exclude indicators, as in the statistics. */
  byRule: boolean
}

/** `older` of the result counts the older results. Not testable: too few of both for any p of at most alpha. */
export function testDrift({ configuration, fresh, older, byRule }: DriftTestInput): DriftTest {
  const cells = new Map<number, { candidate: number[]; baseline: number[] }>()
  for (const [side, results] of [['candidate', fresh] as const, ['baseline', older] as const]) {
    for (const { eval_id, expectations } of results) {
      const score = scoreExpectations(expectations, byRule)
      if (score === null) continue
      const cell = cells.get(eval_id) ?? { candidate: [], baseline: [] }
      cell[side].push(score.share)
      cells.set(eval_id, cell)
    }
  }
  const known = [...cells.values()].filter(({ candidate, baseline }) => candidate.length > 0 && baseline.length > 0)
  const isTestable =
    smallestDriftP(known.map((cell) => ({ fresh: cell.candidate.length, older: cell.baseline.length }))) <= driftAlpha
  const p = isTestable ? permuteWithinCases(known, usualOptions.seed).pValue : null
  return {
    configuration,
    result: p === null ? 'not_testable' : p <= driftAlpha ? 'drift' : 'no_drift',
    older: older.length,
    sampled: fresh.length,
    p_value: p === null ? null : round(p, 6),
    alpha: driftAlpha,
    pass_rate_older: meanOverCells(known.map(({ baseline }) => baseline)),
    pass_rate_new: meanOverCells(known.map(({ candidate }) => candidate)),
    checks_flipped: countFlips(fresh, older),
  }
}

function meanOverCells(cells: readonly (readonly number[])[]): number | null {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return cells.length === 0 ? null : round(mean(cells.map(mean)), 6)
}

/** Checks with another result in the same case and run number. */
function countFlips(fresh: readonly DriftResult[], older: readonly DriftResult[]): number {
  const key = ({ eval_id, run_number }: DriftResult) => `${eval_id} ${run_number}`
  const before = new Map(older.map((one) => [key(one), one.expectations]))
  const isCheck = ({ decided_by }: GradedExpectation) => decided_by?.startsWith('check:') === true
  return fresh.reduce((sum, one) => {
    const flipped = one.expectations.filter((now) => {
      const then = before.get(key(one))?.find(({ text }) => text === now.text)
      return isCheck(now) && then !== undefined && then.passed !== now.passed
    })
    return sum + flipped.length
  }, 0)
}
