/** The bound for cases like these where every case differs by the same, so that a t interval would have no width. */
import { clip, type Interval } from './interval.ts'
import { betaQuantile } from './quantiles.ts'

/**
 * After n cases that all differ by `common`, the share of cases that differ otherwise (by anything from −1 to 1) is below
 * q with probability 1 − alpha under a uniform prior, Beta(1, 1), on that share.
 */
export function caseBound(common: number, n: number, alpha: number): Interval {
  const share = betaQuantile(1 - alpha, 1, n + 1)
  return clip({ low: common * (1 - share) - share, high: common * (1 - share) + share }, [-1, 1])
}
