/** Intervals and tests for counts: Wilson, Clopper–Pearson, Beta posterior, exact sign test. Never Wald, which has no width at k = n. */
import { clipInterval, type Interval } from '../numbers/describe.ts'
import { betaCdf, betaQuantile, normalQuantile } from './quantiles.ts'

/** Wilson's score interval for k of n; k may be a sum of shares. 0 to 1 if n is 0. */
export function wilson(k: number, n: number, alpha: number): Interval {
  if (n === 0) return { low: 0, high: 1 }
  const z = normalQuantile(1 - alpha / 2)
  const rate = k / n
  const centre = (rate + (z * z) / (2 * n)) / (1 + (z * z) / n)
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n))
  return clipInterval({ low: k === 0 ? 0 : centre - half, high: k === n ? 1 : centre + half }, [0, 1])
}

/** The exact interval; conservative. */
export function clopperPearson(k: number, n: number, alpha: number): Interval {
  return {
    low: k === 0 ? 0 : betaQuantile(alpha / 2, k, n - k + 1),
    high: k === n ? 1 : betaQuantile(1 - alpha / 2, k + 1, n - k),
  }
}

/** The equal-tailed posterior interval under a Beta(prior, prior) prior: 1 is uniform, ½ is Jeffreys'. */
export function posterior(k: number, n: number, { alpha, prior }: { alpha: number; prior: number }): Interval {
  const [a, b] = [k + prior, n - k + prior]
  return { low: betaQuantile(alpha / 2, a, b), high: betaQuantile(1 - alpha / 2, a, b) }
}

/** P(X ≥ k) for X ~ Binomial(n, ½). */
function upperTail(k: number, n: number): number {
  return k <= 0 ? 1 : betaCdf(0.5, k, n - k + 1)
}

/** The exact sign test of `wins` against `losses`, without ties; two-sided it is McNemar's exact test. */
export function signTest(wins: number, losses: number, sides: 1 | 2): number {
  const n = wins + losses
  if (sides === 1) return upperTail(wins, n)
  return Math.min(1, 2 * upperTail(Math.max(wins, losses), n))
}

/** P(the first is better) after these wins and losses, under a uniform prior. */
export function probabilityBetter(wins: number, losses: number): number {
  return 1 - betaCdf(0.5, wins + 1, losses + 1)
}

/** Bonett and Price's interval for the difference of two paired rates: b and c of n pairs are discordant. */
export function bonettPrice(at: { b: number; c: number; n: number; alpha: number }): Interval {
  const [first, second] = [(at.b + 1) / (at.n + 2), (at.c + 1) / (at.n + 2)]
  const difference = first - second
  const half = normalQuantile(1 - at.alpha / 2) * Math.sqrt((first + second - difference ** 2) / (at.n + 2))
  return clipInterval({ low: difference - half, high: difference + half }, [-1, 1])
}
