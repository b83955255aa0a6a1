/** Rows of the statistics: one per arm, per case, and per comparison of cases. */
import type { Statistics } from '../../../../../schemas/benchmark_statistics.ts'
import { wilson } from '../distributions/binomial.ts'
import { exactTails } from '../distributions/exact_permutation.ts'
import { sampleMean, sampleVariance } from '../numbers/moments.ts'
import { round, roundPValue } from '../numbers/round.ts'
import { holm } from '../tests/holm.ts'
import { moderatedT } from '../tests/moderated_t.ts'
import { keepComparable } from './case_scores.ts'
import { disagreement } from './pass_k.ts'
import type { ScoredCase, ScoredRun } from './scored_runs.ts'

/** If two runs of a case differ with at least this chance, the case is flaky. */
const flakyChance = 0.3

/** `own`: the runs of each case of the arm, none empty. */
export function buildArmRow(own: readonly (readonly ScoredRun[])[], alpha: number): Statistics['arms'][string] {
  const runs = own.flat()
  const passed = runs.filter((one) => one.allPassed).length
  const { low, high } = wilson(passed, runs.length, alpha)
  const shares = runs.map(({ share }) => share)
  return {
    n_cases: own.length,
    n_runs: runs.length,
    mean: own.length === 0 ? 0 : round(sampleMean(own.map((some) => sampleMean(some.map(({ share }) => share)))), 6),
    stddev: round(Math.sqrt(sampleVariance(shares)), 6),
    all_passed: passed,
    wilson: { ci_low: round(low, 6), ci_high: round(high, 6) },
  }
}

export function buildStatisticsCase(one: ScoredCase, alpha: number): Statistics['cases'][number] {
  const { candidate, baseline, runs } = one
  const interval = moderatedT([one], { alpha })
  const flakiness = Math.max(
    ...[runs.candidate, runs.baseline].map((some) =>
      disagreement(some.length, some.filter(({ allPassed }) => allPassed).length),
    ),
  )
  return {
    eval_id: one.evalId,
    mean_a: candidate.length === 0 ? null : round(sampleMean(candidate), 6),
    mean_b: baseline.length === 0 ? null : round(sampleMean(baseline), 6),
    runs_a: candidate.length,
    runs_b: baseline.length,
    difference: interval === null ? null : round(interval.mean, 6),
    ci_low: interval === null ? null : round(interval.low, 6),
    ci_high: interval === null ? null : round(interval.high, 6),
    flaky: flakiness >= flakyChance,
    flakiness: round(flakiness, 6),
  }
}

/** The exact permutation test of each case alone, adjusted for their number; cases that can't be counted are omitted. */
export function compareCases(cases: readonly ScoredCase[]): Statistics['comparisons'] {
  const found = keepComparable(cases).flatMap((one) => {
    const tails = exactTails([one])
    return tails === null ? [] : { eval_id: one.evalId, p: tails.pValue }
  })
  const adjusted = holm(found.map(({ p }) => p))
  return found.map(({ eval_id, p }, at) => ({
    eval_id,
    p_value: roundPValue(p),
    p_adjusted: roundPValue(adjusted[at] ?? 1),
    method: 'holm',
  }))
}
