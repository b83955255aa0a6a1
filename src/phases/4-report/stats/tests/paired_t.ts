/** The paired t test over case means: the cases are a sample of similar cases (Miller 2024, arXiv 2411.00640). */
import { tCdf, tQuantile } from '../distributions/quantiles.ts'
import type { Interval } from '../numbers/describe.ts'
import { sampleMean, sampleVariance } from '../numbers/moments.ts'

export interface PairedT extends Interval {
  mean: number
  standardError: number
  df: number
  /** Two-sided; null: nothing varies. */
  pValue: number | null
}

/** From one difference per case; null below two cases. If nothing varies the interval has no width, and the caller must not show it. */
export function pairedT(differences: readonly number[], alpha: number): PairedT | null {
  const n = differences.length
  if (n < 2) return null
  const mean = sampleMean(differences)
  const standardError = Math.sqrt(sampleVariance(differences) / n)
  const half = tQuantile(1 - alpha / 2, n - 1) * standardError
  const pValue = standardError === 0 ? null : 2 * tCdf(-Math.abs(mean) / standardError, n - 1)
  return { mean, standardError, df: n - 1, pValue, low: mean - half, high: mean + half }
}
