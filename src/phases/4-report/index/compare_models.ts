/** Engines and models of a matrix against each other: the pass rates with the skill, and what the skill adds, both with Holm's adjustment. */
import type { IndexPair } from '../../../../schemas/benchmark_index.ts'
import { isTooSmall } from '../../../base/smallest_design.ts'
import { tCdf, tQuantile } from '../stats/distributions/quantiles.ts'
import { round, roundPValue } from '../stats/numbers/round.ts'
import { type CaseScores, keepComparable } from '../stats/scores/case_scores.ts'
import { holm } from '../stats/tests/holm.ts'
import { type ModeratedT, moderatedT } from '../stats/tests/moderated_t.ts'
import { explainApart, type IndexedBenchmark, pairIndexedCases } from './indexed_benchmark.ts'

/** Empty: no two rows are of one skill on different engines or models. */
export function compareModels(benchmarks: readonly IndexedBenchmark[], alpha: number): IndexPair[] {
  const pairs = benchmarks.flatMap((first, at) =>
    benchmarks
      .slice(at + 1)
      .flatMap((second) =>
        first.row.cell !== null && second.row.cell !== null && first.row.skill === second.row.skill
          ? comparePair(first, second, alpha)
          : [],
      ),
  )
  return adjustPairs(adjustPairs(pairs, 'with_skill'), 'lift')
}

type Difference = NonNullable<IndexPair['lift']>

function comparePair(first: IndexedBenchmark, second: IndexedBenchmark, alpha: number): IndexPair {
  const name = { skill: first.row.skill, first: first.row.cell ?? '', second: second.row.cell ?? '' }
  const nothing = { ...name, with_skill: null, lift: null }
  const apart = first.suite === second.suite ? explainApart(first, second) : 'different versions of the suite'
  const both = pairIndexedCases(first, second)
  const scores = keepComparable(
    both.map(
      ([own, other]): CaseScores => ({
        candidate: own.candidate,
        baseline: other.candidate,
        expectations: own.expectations ?? 1,
      }),
    ),
  )
  const n_cases = scores.length
  if (apart !== null) return { ...nothing, n_cases, reason: apart }
  const found = moderatedT(scores, { alpha })
  if (found === null) return { ...nothing, n_cases, reason: 'no case was graded with the skill in both' }
  if (isTooSmall(scores, alpha)) return { ...nothing, n_cases, reason: 'too few runs for any significant difference' }
  const lift = compareLifts(both, alpha)
  const reason = lift === null ? 'no case was graded with and without the skill in both' : null
  return { ...name, n_cases, with_skill: toDifference(found), lift, reason }
}

/** The difference of two independent differences, on the cases with all four configurations. */
function compareLifts(both: readonly [CaseScores, CaseScores][], alpha: number): Difference | null {
  const whole = both.filter((pair) => keepComparable(pair).length === 2)
  const [own, other] = [0, 1].map((side) =>
    moderatedT(
      whole.map((pair) => pair[side] ?? { candidate: [], baseline: [] }),
      { alpha },
    ),
  )
  return own && other ? toDifference(subtractMeans(own, other, alpha)) : null
}

/** By Satterthwaite. */
function subtractMeans(own: ModeratedT, other: ModeratedT, alpha: number): ModeratedT {
  const mean = own.mean - other.mean
  const parts = [own, other].map(({ standardError, df }) => ({ variance: standardError ** 2, df }))
  const variance = parts.reduce((sum, part) => sum + part.variance, 0)
  const df = variance ** 2 / parts.reduce((sum, part) => sum + part.variance ** 2 / part.df, 0)
  const standardError = Math.sqrt(variance)
  const correction = Math.max(own.correction, other.correction)
  const half = tQuantile(1 - alpha / 2, df) * standardError + correction
  const distance = Math.abs(mean) - correction
  const pValue = distance <= 0 ? 1 : 2 * tCdf(-distance / standardError, df)
  return { mean, standardError, df, pValue, correction, low: mean - half, high: mean + half }
}

function toDifference({ mean, low, high, pValue }: ModeratedT): Difference {
  return {
    mean: round(mean, 6),
    ci_low: round(low, 6),
    ci_high: round(high, 6),
    p_value: roundPValue(pValue),
    p_adjusted: 1,
  }
}

function adjustPairs(pairs: readonly IndexPair[], what: 'with_skill' | 'lift'): IndexPair[] {
  const adjusted = holm(pairs.flatMap((pair) => pair[what]?.p_value ?? []))
  let place = 0
  return pairs.map((pair) => {
    const found = pair[what]
    return found === null ? pair : { ...pair, [what]: { ...found, p_adjusted: roundPValue(adjusted[place++] ?? 1) } }
  })
}
