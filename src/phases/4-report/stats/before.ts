/** What a plan can see before anything is spent, and the runs or cases that a wanted difference needs. */
import { boundaryAlpha } from './e_value.ts'
import { usualOptions, usualPower } from './options.ts'
import { casesNeeded, type Design, minimumDetectable, runsNeeded, type Spread, usualSpread } from './power.ts'

export interface Planned {
  cases: number
  /** Of each case in each arm; the most, where `until`. */
  runs: number
  /** Stopped by looks: the test on these cases pays for them. */
  until?: boolean
  alpha?: number
  power?: number
  /** Variances of an earlier benchmark; what is usual if absent. */
  spread?: Spread
}

/** The smallest difference found with that power, by scope; null below 5 cases for cases like these. */
export function detectableBefore(planned: Planned): { these_cases: number; cases_like_these: number | null } {
  const design = designOf(planned)
  return {
    these_cases: onTheseCases(design, planned.until ?? false),
    cases_like_these: planned.cases < 5 ? null : Math.min(1, minimumDetectable(design)),
  }
}

/** Runs a case and arm on these cases; cases with the planned runs for cases like these. Rounded up, at least 2 and 6. */
export function neededFor(detect: number, planned: Planned): { runs: number; cases: number } {
  const design = designOf(planned)
  const fixed = Math.max(2, Math.ceil(runsNeeded({ ...design, between: 0, detect }) ?? 2))
  return {
    runs: planned.until ? runsUntil(detect, { ...design, runs: fixed }) : fixed,
    cases: Math.max(6, Math.ceil(casesNeeded({ ...design, detect }))),
  }
}

/** 1 where no outcome could decide. */
function onTheseCases(design: Design, until: boolean): number {
  const { candidate, baseline, cases, runs } = design
  const alpha = until ? boundaryAlpha((candidate + baseline) * cases * runs, design.alpha) : design.alpha
  return alpha === null ? 1 : Math.min(1, minimumDetectable({ ...design, alpha, between: 0 }))
}

/** From the runs of a test of fixed size on, the first that are enough with looks. */
function runsUntil(detect: number, design: Design): number {
  let { runs } = design
  while (onTheseCases({ ...design, runs }, true) > detect && runs < most) runs = Math.ceil(runs * 1.02 + 0.5)
  return runs
}

const most = 1e6

function designOf({ cases, runs, alpha = usualOptions.alpha, power = usualPower, spread = usualSpread }: Planned) {
  return { ...spread, cases, runs, alpha, power }
}
