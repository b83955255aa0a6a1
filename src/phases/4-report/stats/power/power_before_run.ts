/** The power of a plan before anything is spent, and the runs or cases that detect a given difference. */
import { fewestRuns, fewestVariedCases } from '../../../../base/smallest_design.ts'
import { usualOptions, usualPower } from '../statistics_options.ts'
import { expectedDf, stepCorrection } from '../tests/moderated_t.ts'
import { untilAlpha } from './look_schedule.ts'
import { type Design, minimumDetectable, type Spread, usualSpread } from './power.ts'

export interface PlannedDesign {
  cases: number
  /** Per case and arm; with `until` the maximum. */
  runs: number
  /** Per run, the harmonic mean over the cases; absent: 4. */
  expectations?: number
  /** Adaptive stopping: the test on these cases corrects for interim analyses. */
  until?: boolean
  alpha?: number
  power?: number
  /** Variances of an earlier benchmark; absent: the usual ones. */
  spread?: Spread
}

/**
 * The minimum detectable effect by scope, and the fewest runs per case and arm that can be significant on these cases. null for similar
 * cases: the cases are too few or too coarse for a difference that varies between them, or adaptive stopping leaves them without a verdict.
 */
export function plannedDetectable(planned: PlannedDesign): {
  these_cases: number
  cases_like_these: number | null
  fewest_runs: number
} {
  const isOpen = planned.until || planned.cases < fewestPlannedCases(planned)
  return {
    fewest_runs: fewestPlannedRuns(planned),
    these_cases: detectableOnCases(planned),
    cases_like_these: isOpen ? null : detectableOnSimilar(toDesign(planned)),
  }
}

/** Runs per case and arm for these cases; cases with the planned runs for similar cases, null: no verdict on them. Rounded up. */
export function computeNeededSize(detect: number, planned: PlannedDesign): { runs: number; cases: number | null } {
  const isPowerful = (runs: number) => detectableOnCases({ ...planned, runs }) <= detect
  const isLarge = (cases: number) => detectableOnSimilar(toDesign({ ...planned, cases })) <= detect
  return {
    runs: findFewest(fewestPlannedRuns(planned), isPowerful),
    cases: planned.until ? null : findFewest(fewestPlannedCases(planned), isLarge),
  }
}

function fewestPlannedCases({ runs, expectations = 4 }: PlannedDesign): number {
  return fewestVariedCases(runs * expectations)
}

/** By the moderated t with its continuity correction, as if runs passed or failed as a whole. 1: no outcome is conclusive. */
function detectableOnCases(planned: PlannedDesign): number {
  const { until = false, alpha = usualOptions.alpha } = planned
  const design = toDesign({ ...planned, alpha: until ? untilAlpha(alpha) : alpha })
  const { cases, runs } = design
  if (runs < fewestPlannedRuns(planned)) return 1
  const df = expectedDf(cases, runs)
  return Math.min(1, minimumDetectable({ ...design, between: 0, df }) + stepCorrection(cases, runs))
}

function detectableOnSimilar(design: Design): number {
  return Math.min(1, minimumDetectable({ ...design, df: design.cases - 1 }))
}

/** Below them no outcome is significant on these cases, with adaptive stopping or without. */
function fewestPlannedRuns({ cases, alpha = usualOptions.alpha }: PlannedDesign): number {
  return fewestRuns(cases, alpha)
}

const mostSearched = 1e7

/** The smallest whole number from `least` on that is enough, where every larger one is too. */
function findFewest(least: number, isEnough: (size: number) => boolean): number {
  let [low, high] = [least - 1, least]
  while (!isEnough(high) && high < mostSearched) [low, high] = [high, 2 * high]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isEnough(middle)) high = middle
    else low = middle
  }
  return high
}

function toDesign({
  cases,
  runs,
  alpha = usualOptions.alpha,
  power = usualPower,
  spread = usualSpread,
}: PlannedDesign) {
  return { ...spread, cases, runs, alpha, power }
}
