/** How many runs a screening takes before anything is spent, how many a certified diet, and which units to drop: normal approximations. */
import { normalCdf, normalQuantile } from '../../../phases/4-report/stats/distributions/quantiles.ts'
import { usualPower } from '../../../phases/4-report/stats/statistics_options.ts'
import { type UnitEffect, upperBound } from './unit_effects.ts'

/** Variance of a run's score within a case, before any run (statistics.md, 2.1). */
const usualVariance = 1 / 6

/**
 * Runs after which a unit without an effect is dropped with power 0.8, while one worth `detect` (0 to 1) or more is dropped in at most 5% of
 * sessions. Each unit is compared with all runs, so more units hardly add runs.
 */
export function screeningRuns(units: number, detect: number): number {
  const z = normalQuantile(1 - screeningAlpha / units) + normalQuantile(usualPower)
  return Math.ceil(4 * usualVariance * (z / detect) ** 2)
}

/**
 * Runs of leave-one-out at the same error and power: each unit is compared with the whole skill, whose runs all comparisons share in the
 * best proportion.
 */
export function leaveOneOutRuns(units: number, detect: number): number {
  const z = normalQuantile(1 - screeningAlpha / units) + normalQuantile(usualPower)
  return Math.ceil((units + Math.sqrt(units)) * usualVariance * (1 + 1 / Math.sqrt(units)) * (z / detect) ** 2)
}

/** Chance that a unit without an effect is dropped after so many runs. */
export function dropPower(runs: number, { units, detect }: { units: number; detect: number }): number {
  const error = Math.sqrt((4 * usualVariance) / Math.max(1, runs))
  return normalCdf(detect / error - normalQuantile(1 - screeningAlpha / units))
}

/** Runs on held-out cases, both skills together, that show with power 0.8 that a skill which is better by `gain` is not worse by the margin. */
export function nonInferiorityRuns(
  margin: number,
  { gain = 0, variance = usualVariance }: { gain?: number; variance?: number } = {},
): number {
  const z = normalQuantile(1 - screeningAlpha) + normalQuantile(usualPower)
  return Math.ceil(4 * variance * (z / (margin + gain)) ** 2)
}

/** The same for an amount per run (dollars, tokens) that is to be lower: `saving` and `deviation` as shares of its mean. */
export function savingRuns(saving: number, deviation: number): number {
  const z = normalQuantile(1 - screeningAlpha) + normalQuantile(usualPower)
  return Math.ceil(4 * (deviation * (z / saving)) ** 2)
}

/** helps: shown; open: an effect of the size to detect is not ruled out; none: it is; harms: shown. The last two are dropped. */
export type UnitVerdict = 'helps' | 'open' | 'none' | 'harms'

/** The share of sessions that drop any unit worth `detect` or more; divided by the number of units (Bonferroni). */
export const screeningAlpha = 0.05

/** Effects in shares of the pass rate; `detect`: the smallest loss that a session is to notice. */
export function decideUnit(effect: UnitEffect, { units, detect }: { units: number; detect: number }): UnitVerdict {
  if (effect.low > 0) return 'helps'
  if (upperBound(effect, screeningAlpha / units) >= detect) return 'open'
  return effect.mean < 0 && effect.pAdjusted <= screeningAlpha ? 'harms' : 'none'
}

export function isDropped(verdict: UnitVerdict): boolean {
  return verdict === 'none' || verdict === 'harms'
}
