/** Tests whether the same runs give other results now than before: a permutation test within each case. */
import type { GradedExpectation } from '../../../../../schemas/grading.ts'
import type { DriftTest } from '../../../../../schemas/older_runs.ts'
import { round } from '../../stats/numbers/round.ts'
import { scoreExpectations } from '../../stats/scores/scored_runs.ts'
import { usualOptions } from '../../stats/statistics_options.ts'
import { permuteWithinCases } from '../../stats/tests/permutation.ts'

/** A false alarm costs some runs, a missed drift a wrong verdict: hence not the usual 0.05. */
export const driftAlpha = 0.1

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

/** One graded run. */
export interface DriftResult {
  eval_id: number
  run_number: number
  expectations: readonly GradedExpectation[]
}

interface DriftTestInput {
  configuration: string
  /** The runs that were run again. */
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
