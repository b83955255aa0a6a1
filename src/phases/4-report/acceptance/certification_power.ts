/** What a certification can detect, before anything is spent: the gain that it finds with power 0.8, and its power at some gains. */
import { normalCdf, normalQuantile } from '../stats/distributions/quantiles.ts'
import { round } from '../stats/numbers/round.ts'
import { sessionAlpha } from './certify.ts'

/** Variance of a run's score within a case, before any run (statistics.md, 2.1). */
const usualVariance = 1 / 6
const shownGains = [0.1, 0.2, 0.3]

export interface CertificationPower {
  /** From 0 to 1; 1 if nothing smaller can be shown. */
  detectable: number
  power: { gain: number; power: number }[]
}

/** The runs on held-out cases, both versions together, that show a true gain with this power. */
export function runsForPower(gain: number, power: number): number {
  const z = normalQuantile(1 - sessionAlpha) + normalQuantile(power)
  return Math.ceil(4 * usualVariance * (z / gain) ** 2)
}

/** `runs`: on held-out cases, both versions together. Normal approximation of the moderated t. */
export function certificationPower(runs: number): CertificationPower {
  const error = Math.sqrt((4 * usualVariance) / Math.max(1, runs))
  const critical = normalQuantile(1 - sessionAlpha)
  return {
    detectable: round(Math.min(1, (critical + normalQuantile(0.8)) * error), 6),
    power: shownGains.map((gain) => ({ gain, power: round(normalCdf(gain / error - critical), 4) })),
  }
}
