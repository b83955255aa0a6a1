/** The power of a design: its minimum detectable effect, and the cases that detect a difference (Miller 2024). */
import { normalQuantile, tQuantile } from '../distributions/quantiles.ts'

export interface Spread {
  /** Variance of the true difference between cases; 0 for the scope of these cases. */
  between: number
  /** Variance of a run's score within a case, by arm. */
  candidate: number
  baseline: number
}

export interface Design extends Spread {
  cases: number
  /** Per case and arm. */
  runs: number
  alpha: number
  power: number
  /** Degrees of freedom of the t test; absent: the normal distribution. */
  df?: number
}

/** The assumption before anything has run (statistics.md, 2.1). */
export const usualSpread: Spread = { between: 1 / 9, candidate: 1 / 6, baseline: 1 / 6 }

/** The smallest difference that the design detects with this power. */
export function minimumDetectable(design: Design): number {
  return factor(design) * Math.sqrt((design.between + withinVariance(design)) / design.cases)
}

/** The number of cases, not rounded, that detects `detect` with these runs per case. */
export function casesNeeded(design: Omit<Design, 'cases'> & { detect: number }): number {
  return (factor(design) ** 2 * (design.between + withinVariance(design))) / design.detect ** 2
}

function withinVariance({ candidate, baseline, runs }: Spread & { runs: number }): number {
  return (candidate + baseline) / runs
}

/** From here on t and normal quantiles agree to four digits. */
const manyDf = 1e4

function factor({ alpha, power, df = manyDf }: Pick<Design, 'alpha' | 'power' | 'df'>): number {
  const quantile = (p: number) => (df < manyDf ? tQuantile(p, df) : normalQuantile(p))
  return quantile(1 - alpha / 2) + quantile(power)
}
