/** The minimum detectable effect of a benchmark of this size and variance, by scope. */
import type { Statistics } from '../../../../../schemas/benchmark_statistics.ts'
import { sampleMean, sampleVariance } from '../numbers/moments.ts'
import { round } from '../numbers/round.ts'
import { sampleInterval } from '../scopes/similar_cases.ts'
import { type CaseScores, keepComparable } from '../scores/case_scores.ts'
import { type StatisticsOptions, usualPower } from '../statistics_options.ts'
import { moderatedT } from '../tests/moderated_t.ts'
import { minimumDetectable } from './power.ts'

/** From the observed variance. null: it is 0 or not known; for similar cases also without a t interval or with adaptive stopping. */
export function computeDetectable(
  cases: readonly CaseScores[],
  { alpha, sequential }: Pick<StatisticsOptions, 'alpha' | 'sequential'>,
): Statistics['mde'] {
  const known = keepComparable(cases)
  const differences = known.map(({ candidate, baseline }) => sampleMean(candidate) - sampleMean(baseline))
  const own = moderatedT(known, { alpha })
  const sample = { variance: sampleVariance(differences), cases: differences.length, df: differences.length - 1 }
  const isTested = sequential === null && sampleInterval(known, alpha)?.method === 'paired_t'
  return {
    power: usualPower,
    these_cases: own && detectableEffect({ variance: own.standardError ** 2, cases: 1, df: own.df }, alpha),
    cases_like_these: isTested ? detectableEffect(sample, alpha) : null,
  }
}

/** null: nothing varies. */
function detectableEffect({ variance, ...size }: { variance: number; cases: number; df: number }, alpha: number) {
  const spread = { between: variance, candidate: 0, baseline: 0 }
  return variance === 0 ? null : round(minimumDetectable({ ...size, ...spread, runs: 1, alpha, power: usualPower }), 6)
}
