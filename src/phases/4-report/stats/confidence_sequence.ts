/** An interval that holds at every look: the hedged betting confidence sequence for means in [0, 1] (Waudby-Smith & Ramdas 2023). */
import { clip, type Interval } from './interval.ts'

const grid = 1000
/** A bet is at most this share of what would risk all. */
const truncation = 0.5

/** After the last of the values. Each value is one block; all have the same mean. To the outer side of a grid of 1/1000. */
export function bettingInterval(values: readonly number[], alpha: number): Interval {
  const bets = betsOf(values, alpha)
  const lost = Math.log(2 / alpha)
  let [low, high] = [1, 0]
  for (let at = 0; at <= grid; at += 1) {
    const mean = at / grid
    if (!isKept(values, bets, { mean, lost })) continue
    low = Math.min(low, mean)
    high = Math.max(high, mean)
  }
  return low > high ? { low: 0, high: 1 } : clip({ low: low - 1 / grid, high: high + 1 / grid }, [0, 1])
}

/** The same for differences in [−1, 1]. */
export function bettingDifference(differences: readonly number[], alpha: number): Interval {
  const { low, high } = bettingInterval(
    differences.map((one) => (one + 1) / 2),
    alpha,
  )
  return clip({ low: 2 * low - 1, high: 2 * high - 1 }, [-1, 1])
}

/** Whether the interval of these differences leaves out each of those: much less work than the interval. */
export function bettingExcludes(differences: readonly number[], alpha: number, those: readonly number[]): boolean {
  const values = differences.map((one) => (one + 1) / 2)
  const bets = betsOf(values, alpha)
  const lost = Math.log(2 / alpha)
  return those.every((one) => !isKept(values, bets, { mean: (one + 1) / 2, lost }))
}

/** A mean is kept while neither gambler, with half the money each, has multiplied it all by 1/α. */
function isKept(values: readonly number[], bets: readonly number[], { mean, lost }: { mean: number; lost: number }) {
  let [up, down] = [0, 0]
  for (const [at, value] of values.entries()) {
    const bet = bets[at] ?? 0
    up += Math.log1p(Math.min(bet, truncation / mean) * (value - mean))
    down += Math.log1p(-Math.min(bet, truncation / (1 - mean)) * (value - mean))
  }
  return up < lost && down < lost
}

/** Each bet follows from the values before it: the predictable mixture of the empirical Bernstein bound. */
function betsOf(values: readonly number[], alpha: number): number[] {
  let [sum, squares, variance] = [0, 0, 0.25]
  return values.map((value, at) => {
    const t = at + 1
    const bet = Math.sqrt((2 * Math.log(2 / alpha)) / (t * Math.log(1 + t) * variance))
    sum += value
    squares += (value - (0.5 + sum) / (t + 1)) ** 2
    variance = (0.25 + squares) / (t + 1)
    return bet
  })
}
