/** The rows of the statistics: one an arm, one a case, one a comparison of cases. */
import type { Statistics } from '../../../../schemas/benchmark_statistics.ts'
import { wilson } from './binomial.ts'
import { comparable } from './case_scores.ts'
import { holm } from './holm.ts'
import { exactTails } from './lattice.ts'
import { meanOf, varianceOf } from './moments.ts'
import { disagreement } from './pass_k.ts'
import { round } from './round.ts'
import type { ScoredCase, ScoredRun } from './scored.ts'
import { withinInterval } from './within.ts'

/** From this chance on that two runs of a case end differently, the case is flaky. */
const flakyFrom = 0.3

/** `own`: the runs of each case of the arm, none empty. */
export function armRow(own: readonly (readonly ScoredRun[])[], alpha: number): Statistics['arms'][string] {
  const runs = own.flat()
  const passed = runs.filter((one) => one.allPassed).length
  const { low, high } = wilson(passed, runs.length, alpha)
  const shares = runs.map(({ share }) => share)
  return {
    n_cases: own.length,
    n_runs: runs.length,
    mean: own.length === 0 ? 0 : round(meanOf(own.map((some) => meanOf(some.map(({ share }) => share)))), 6),
    stddev: round(Math.sqrt(varianceOf(shares)), 6),
    all_passed: passed,
    wilson: { ci_low: round(low, 6), ci_high: round(high, 6) },
  }
}

export function caseRow(one: ScoredCase, alpha: number): Statistics['cases'][number] {
  const { candidate, baseline, runs } = one
  const interval = withinInterval([one], alpha)
  const flakiness = Math.max(
    ...[runs.candidate, runs.baseline].map((some) =>
      disagreement(some.length, some.filter(({ allPassed }) => allPassed).length),
    ),
  )
  return {
    eval_id: one.evalId,
    mean_a: candidate.length === 0 ? null : round(meanOf(candidate), 6),
    mean_b: baseline.length === 0 ? null : round(meanOf(baseline), 6),
    runs_a: candidate.length,
    runs_b: baseline.length,
    difference: interval === null ? null : round(interval.mean, 6),
    ci_low: interval === null ? null : round(interval.low, 6),
    ci_high: interval === null ? null : round(interval.high, 6),
    flaky: flakiness >= flakyFrom,
    flakiness: round(flakiness, 6),
  }
}

/** The exact permutation test of each case by itself, adjusted for their number; a case that cannot be counted is left out. */
export function comparisons(cases: readonly ScoredCase[]): Statistics['comparisons'] {
  const found = comparable(cases).flatMap((one) => {
    const tails = exactTails([one])
    return tails === null ? [] : { eval_id: one.evalId, p: tails.pValue }
  })
  const adjusted = holm(found.map(({ p }) => p))
  return found.map(({ eval_id, p }, at) => ({
    eval_id,
    p_value: round(p, 6),
    p_adjusted: round(adjusted[at] ?? 1, 6),
    method: 'holm',
  }))
}
