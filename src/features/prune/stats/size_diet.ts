/** How many runs the certified diet takes, from what the screening shows. It changes the power of the decision, never its error. */
import type { UnitVerdict } from './choose_drops.ts'
import { nonInferiorityRuns, savingRuns } from './screening_power.ts'
import type { ScreeningFit } from './unit_effects.ts'

export interface DietSize {
  /** Of the scores. */
  fit: ScreeningFit
  verdicts: readonly UnitVerdict[]
  /** Of the dollars or tokens of the same runs; null: unknown. */
  cost: ScreeningFit | null
  margin: number
  /** Runs planned, the most. */
  most: number
  heldOut: number
}

/** Below this, a test is at the mercy of a few runs. */
const fewest = 40

/**
 * By the variance that the screening saw, what leaving out units that harm gains at least, and what it saves. The saving is an estimate
 * on training cases; if it is none, nothing shorter would be kept, and the fewest runs show that.
 */
export function sizeDiet({ fit, verdicts, cost, margin, most, heldOut }: DietSize): number {
  const harm = fit.effects.filter((_, unit) => verdicts[unit] === 'harms')
  const gain = harm.reduce((sum, { high }) => sum + Math.max(0, -high), 0)
  let pairs = 2
  // the test itself counts a case whose runs all agree with this variance
  const variance = () => Math.max(fit.variance, 2 / (pairs + 2) ** 2)
  const runs = () => 2 * pairs * heldOut
  while (runs() < most && runs() < nonInferiorityRuns(margin, { gain, variance: variance() })) pairs += 1
  return Math.max(Math.min(fewest, most), Math.min(most, Math.max(runs(), runsForCost(cost, verdicts))))
}

function runsForCost(cost: ScreeningFit | null, verdicts: readonly UnitVerdict[]): number {
  if (cost === null || cost.mean <= 0) return 0
  const dropped = cost.effects.filter((_, unit) => verdicts[unit] === 'none' || verdicts[unit] === 'harms')
  const saved = dropped.reduce((sum, { mean }) => sum + mean, 0)
  return saved <= 0 ? 0 : savingRuns(Math.min(0.9, saved / cost.mean), Math.sqrt(cost.variance) / cost.mean)
}
