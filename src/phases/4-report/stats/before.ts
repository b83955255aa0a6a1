/** What a plan can see before anything is spent, and the runs or cases that a wanted difference needs. */
import { casesForGrain } from './grain.ts'
import { usualOptions, usualPower } from './options.ts'
import { casesNeeded, type Design, minimumDetectable, runsNeeded, type Spread, usualSpread } from './power.ts'
import { untilDetectable, untilPower } from './until_power.ts'

export interface Planned {
  cases: number
  /** Of each case in each arm; the most, where `until`. */
  runs: number
  /** Of a run, the harmonic mean over the cases; absent: 4. */
  expectations?: number
  /** Stopped by looks: the test on these cases pays for them. */
  until?: boolean
  alpha?: number
  power?: number
  /** Variances of an earlier benchmark; what is usual if absent. */
  spread?: Spread
}

/**
 * The smallest difference found with that power, by scope; for cases like these null where no verdict could be: too few cases,
 * or too coarse ones, or looks that end the runs.
 */
export function detectableBefore(planned: Planned): { these_cases: number; cases_like_these: number | null } {
  const design = designOf(planned)
  return {
    these_cases: onTheseCases(design, planned.until ?? false),
    cases_like_these:
      planned.until || planned.cases < leastCases(planned) ? null : Math.min(1, minimumDetectable(design)),
  }
}

/** Runs a case and arm on these cases; cases with the planned runs for cases like these, null: no verdict there. Rounded up. */
export function neededFor(detect: number, planned: Planned): { runs: number; cases: number | null } {
  const design = designOf(planned)
  const fixed = Math.max(2, Math.ceil(runsNeeded({ ...design, between: 0, detect }) ?? 2))
  return {
    runs: planned.until ? runsUntil(detect, { ...design, runs: fixed }) : fixed,
    cases: planned.until ? null : Math.max(leastCases(planned), Math.ceil(casesNeeded({ ...design, detect }))),
  }
}

/** Six must differ, and their means must be fine enough. */
function leastCases({ runs, expectations = 4 }: Planned): number {
  return Math.max(6, casesForGrain(runs * expectations))
}

/** 1 where no outcome could decide. */
function onTheseCases(design: Design, until: boolean): number {
  if (until) return untilDetectable(design.power, sequenceOf(design))
  return Math.min(1, minimumDetectable({ ...design, between: 0 }))
}

/** From the runs of a test of fixed size on, the first that are enough with looks. */
function runsUntil(detect: number, design: Design): number {
  const isEnough = (runs: number) => untilPower(detect, sequenceOf({ ...design, runs })) >= design.power
  let [low, high] = [1, design.runs]
  while (!isEnough(high) && high < most) [low, high] = [high, 2 * high]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isEnough(middle)) high = middle
    else low = middle
  }
  return high
}

function sequenceOf({ candidate, baseline, cases, runs, alpha }: Design) {
  return { pairs: cases * runs, block: cases, variance: candidate + baseline, alpha }
}

const most = 1e6

function designOf({ cases, runs, alpha = usualOptions.alpha, power = usualPower, spread = usualSpread }: Planned) {
  return { ...spread, cases, runs, alpha, power }
}
