/** Predictive power: how likely the runs that are left are to show a difference, given the pairs so far (Spiegelhalter et al. 1986). */
import { normalCdf, normalQuantile } from '../distributions/quantiles.ts'
import { logUnanimous } from '../tests/permutation_paths.ts'

export interface PairsSoFar {
  pairs: number
  /** Pairs whose scores differ. */
  unequal: number
  /** Of the differences, and of their squares. */
  sum: number
  squares: number
  /** Of the sum, if both arms are equal on every case. */
  variance: number
  /** Pairs of a case that are dealt together. */
  group: number
  /** Pairs that the budget of runs still allows. */
  remaining: number
  alpha: number
}

/**
 * For a fixed-size test of all planned pairs, in either direction. Normal approximation; flat prior on the mean difference, Jeffreys prior
 * on the share of unequal pairs. null: no pair yet, or none left.
 */
export function predictivePower(found: PairsSoFar): number | null {
  const { pairs, unequal, sum, squares, variance, group, remaining, alpha } = found
  if (remaining === 0 || pairs === 0) return null
  const [planned, z, least] = [pairs + remaining, normalQuantile(1 - alpha / 2), leastUnequal(group, alpha)]
  // in units of the usual size of a difference
  const size = unequal === 0 ? 1 : Math.sqrt(squares / unequal)
  const [lead, informative] = [Math.abs(sum) / size, variance / size ** 2]
  const atBest = (lead + remaining) / Math.sqrt(informative + (remaining * group) / (2 * group - 1))
  if (unequal + remaining < least || atBest < z) return 0
  const expected = (planned * (informative + 0.5)) / (pairs + 1)
  const critical = Math.max(z * Math.sqrt(expected), least)
  const [mean, spread] = [(lead * planned) / pairs, Math.sqrt((expected * remaining) / pairs)]
  return normalCdf((mean - critical) / spread) + normalCdf((-mean - critical) / spread)
}

/** The fewest unequal pairs of one case that are significant, if all of them are won. */
function leastUnequal(group: number, alpha: number): number {
  let pairs = 1
  while (logUnanimous({ pairs, group }) > Math.log(alpha)) pairs += 1
  return pairs
}
