/**
 * Evidence about a rate that stays valid whenever one stops: e-values by a mixture of likelihood ratios (Robbins 1970; Wang and Ramdas 2022
 * for many of them at once).
 */
import { betaCdf, logBeta } from '../distributions/quantiles.ts'

/**
 * Evidence after k of n that the rate is above `rate`, every higher rate being equally likely before. While the rate is not above it, the
 * mean is at most 1 and the evidence ever reaches x with a probability of at most 1/x. The trials may differ in their rates if each is
 * repeated equally often; then it is about their mean.
 */
export function weighHigherRate(k: number, n: number, rate: number): number {
  const likelihood = logBeta(k + 1, n - k + 1) - k * Math.log(rate) - (n - k) * Math.log1p(-rate)
  const above = betaCdf(1 - rate, n - k + 1, k + 1)
  return (Math.exp(likelihood) * above) / (1 - rate)
}

/** The same that the rate is below `rate`. */
export function weighLowerRate(k: number, n: number, rate: number): number {
  return weighHigherRate(n - k, n, 1 - rate)
}
