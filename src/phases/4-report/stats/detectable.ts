/** The smallest difference that a benchmark of this size and spread would find, by scope. */
import type { Statistics } from '../../../../schemas/benchmark_statistics.ts'
import { type CaseScores, comparable } from './case_scores.ts'
import { meanOf, varianceOf } from './moments.ts'
import { type StatisticsOptions, usualPower } from './options.ts'
import { minimumDetectable } from './power.ts'
import { round } from './round.ts'
import { withinInterval } from './within.ts'

/** From the spread that was seen; null where none was seen, too few cases are there, or looks ended the runs. */
export function detectable(
  cases: readonly CaseScores[],
  { alpha, sequential }: Pick<StatisticsOptions, 'alpha' | 'sequential'>,
): Statistics['mde'] {
  const known = comparable(cases)
  const differences = known.map(({ candidate, baseline }) => meanOf(candidate) - meanOf(baseline))
  const error = withinInterval(known, alpha)?.standardError ?? null
  const of = (variance: number, n: number) =>
    variance === 0 || n === 0
      ? null
      : round(
          minimumDetectable({
            between: variance,
            candidate: 0,
            baseline: 0,
            runs: 1,
            cases: n,
            alpha,
            power: usualPower,
          }),
          6,
        )
  return {
    power: usualPower,
    these_cases: error === null ? null : of(error ** 2, 1),
    cases_like_these:
      sequential !== null || differences.length < 5 ? null : of(varianceOf(differences), differences.length),
  }
}
