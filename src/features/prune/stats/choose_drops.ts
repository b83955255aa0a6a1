/** Which units a shorter skill leaves out, by what the screening shows of each. */
import { type UnitEffect, upperBound } from './unit_effects.ts'

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
