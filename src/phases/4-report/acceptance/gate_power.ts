/** What the gate can detect, before anything is spent: the gain that it finds with power 0.8, and the power at some gains. */
import { normalCdf, normalQuantile } from '../stats/distributions/quantiles.ts'
import { round } from '../stats/numbers/round.ts'

export interface GateDesign {
  cases: number
  /** The most blocks. */
  runs: number
  /** For the test of one candidate. */
  alpha: number
  /** Variance of a run's score within a case; absent: the usual one (statistics.md, 2.1). */
  variance?: number
}

const usualVariance = 1 / 6
/** A gain worth finding: the user sees what it needs before anything is spent. */
const wantedGain = 0.15
const shownGains = [0.1, 0.15, 0.25, 0.4]

export interface GatePower {
  detectable: number
  power: { gain: number; power: number }[]
  /** Runs of each case per configuration, to find the gain with power 0.8. */
  needs: { gain: number; runs: number }
}

export function gatePower(design: GateDesign): GatePower {
  const { cases, runs, alpha, variance = usualVariance } = design
  const error = Math.sqrt((2 * variance) / Math.max(1, cases * runs))
  const critical = normalQuantile(1 - alpha)
  const powerAt = (gain: number) => (error === 0 ? 1 : normalCdf(gain / error - critical))
  return {
    detectable: round(Math.min(1, (critical + normalQuantile(0.8)) * error), 6),
    needs: {
      gain: wantedGain,
      runs: Math.ceil((2 * variance * ((critical + normalQuantile(0.8)) / wantedGain) ** 2) / Math.max(1, cases)),
    },
    power: shownGains.map((gain) => ({ gain, power: round(powerAt(gain), 4) })),
  }
}
