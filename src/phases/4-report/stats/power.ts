/** What a design can see: the smallest difference it finds with a given power, and the runs or cases that a difference needs (Miller 2024). */
import { normalQuantile } from './quantiles.ts'

export interface Spread {
  /** Variance of the true difference between cases; 0 for the scope of these cases. */
  between: number
  /** Variance of a run's score within a case, by arm. */
  candidate: number
  baseline: number
}

export interface Design extends Spread {
  cases: number
  /** Of each case in each arm. */
  runs: number
  alpha: number
  power: number
}

/** What is assumed before anything has run (statistics.md, 2.1). */
export const usualSpread: Spread = { between: 1 / 9, candidate: 1 / 6, baseline: 1 / 6 }

/** The difference that the design finds with this power. */
export function minimumDetectable(design: Design): number {
  return factor(design) * Math.sqrt((design.between + withinOf(design)) / design.cases)
}

/** The number of cases, not rounded, that finds `detect` with these runs a case. */
export function casesNeeded(design: Omit<Design, 'cases'> & { detect: number }): number {
  return (factor(design) ** 2 * (design.between + withinOf(design))) / design.detect ** 2
}

/** The runs a case and arm, not rounded, that find `detect` on these cases; null where cases as a sample vary too much for any number. */
export function runsNeeded(design: Omit<Design, 'runs'> & { detect: number }): number | null {
  const left = (design.cases * design.detect ** 2) / factor(design) ** 2 - design.between
  return left <= 0 ? null : (design.candidate + design.baseline) / left
}

function withinOf({ candidate, baseline, runs }: Spread & { runs: number }): number {
  return (candidate + baseline) / runs
}

function factor({ alpha, power }: { alpha: number; power: number }): number {
  return normalQuantile(1 - alpha / 2) + normalQuantile(power)
}
