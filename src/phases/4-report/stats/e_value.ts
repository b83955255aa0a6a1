/** The anytime-valid test of paired runs: evidence that may be looked at after every block without losing its error rate. */
import { betaCdf, logBeta, normalCdf } from './quantiles.ts'

/**
 * The e-value of so many pairs won and lost, ties left out, against "both arms equal on every case": the mixture over the
 * share of pairs won, Beta(½, ½) for two sides, uniform above ½ for one (statistics.md, 2.5). Reject at 1/α or more.
 */
export function eValue(wins: number, losses: number, sides: 1 | 2): number {
  const coins = (wins + losses) * Math.LN2
  if (sides === 2) return Math.exp(logBeta(wins + 0.5, losses + 0.5) - logBeta(0.5, 0.5) + coins)
  return 2 * Math.exp(logBeta(wins + 1, losses + 1) + coins) * (1 - betaCdf(0.5, wins + 1, losses + 1))
}

export interface Look {
  wins: number
  losses: number
  /** Pairs that the budget still allows. */
  remaining: number
  alpha: number
}

/** `futile`: no outcome of the remaining pairs could reach 1/α. */
export type LookResult = { status: 'decided' | 'open' | 'futile'; eValue: number; direction: 'helps' | 'hurts' | null }

/** One look, after a whole block. */
export function look({ wins, losses, remaining, alpha }: Look): LookResult {
  const evidence = eValue(wins, losses, 2)
  if (evidence >= 1 / alpha) {
    return { status: 'decided', eValue: evidence, direction: wins > losses ? 'helps' : 'hurts' }
  }
  const best = Math.max(eValue(wins + remaining, losses, 2), eValue(wins, losses + remaining, 2))
  return { status: best < 1 / alpha ? 'futile' : 'open', eValue: evidence, direction: null }
}

/** A pair is won by the run with the larger share; the same share is a tie. */
export function countPairs(pairs: readonly { candidate: number; baseline: number }[]): {
  wins: number
  losses: number
} {
  const wins = pairs.filter(({ candidate, baseline }) => candidate > baseline + 1e-9).length
  const losses = pairs.filter(({ candidate, baseline }) => candidate < baseline - 1e-9).length
  return { wins, losses }
}

/**
 * The size of the test of fixed size that asks as much of so many unequal pairs as the e-value does; null: even if all were
 * won it could not decide.
 */
export function boundaryAlpha(unequal: number, alpha: number): number | null {
  if (eValue(Math.floor(unequal), 0, 2) < 1 / alpha) return null
  const z = Math.sqrt(2 * Math.log(1 / alpha) + Math.log((Math.PI * unequal) / 2)) // Stirling's formula, wins near losses
  return 2 * (1 - normalCdf(z))
}
