/** The bound for similar cases if all cases differ by the same, so that a t interval has no width. */
import { betaQuantile } from '../distributions/quantiles.ts'
import { clipInterval, type Interval } from '../numbers/interval.ts'

/**
 * Assumes a uniform prior, Beta(1, 1), on the share of cases that differ by anything else (from −1 to 1). After n cases that all differ by
 * `common`, this share is below q with probability 1 − alpha.
 */
export function caseBound(common: number, n: number, alpha: number): Interval & { pValue: number } {
  const share = betaQuantile(1 - alpha, 1, n + 1)
  const ends = { low: common * (1 - share) - share, high: common * (1 - share) + share }
  // the alpha at which the bound touches 0: share = |common| / (1 + |common|)
  return { ...clipInterval(ends, [-1, 1]), pValue: (1 + Math.abs(common)) ** -(n + 1) }
}
