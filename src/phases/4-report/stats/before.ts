/** What a plan can see before anything is spent, and the runs or cases that a wanted difference needs. */
import { usualOptions, usualPower } from './options.ts'
import { casesNeeded, minimumDetectable, runsNeeded, type Spread, usualSpread } from './power.ts'

export interface Planned {
  cases: number
  /** Of each case in each arm. */
  runs: number
  alpha?: number
  power?: number
  /** Variances of an earlier benchmark; what is usual if absent. */
  spread?: Spread
}

/** The smallest difference found with that power, by scope; null below 5 cases for cases like these. */
export function detectableBefore(planned: Planned): { these_cases: number; cases_like_these: number | null } {
  const design = designOf(planned)
  return {
    these_cases: Math.min(1, minimumDetectable({ ...design, between: 0 })),
    cases_like_these: planned.cases < 5 ? null : Math.min(1, minimumDetectable(design)),
  }
}

/** Runs a case and arm on these cases; cases with the planned runs for cases like these. Rounded up, at least 2 and 6. */
export function neededFor(detect: number, planned: Planned): { runs: number; cases: number } {
  const design = designOf(planned)
  return {
    runs: Math.max(2, Math.ceil(runsNeeded({ ...design, between: 0, detect }) ?? 2)),
    cases: Math.max(6, Math.ceil(casesNeeded({ ...design, detect }))),
  }
}

function designOf({ cases, runs, alpha = usualOptions.alpha, power = usualPower, spread = usualSpread }: Planned) {
  return { ...spread, cases, runs, alpha, power }
}
