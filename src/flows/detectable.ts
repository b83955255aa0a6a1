/** What a plan will be able to see, before anything is spent; and what a wanted difference would take. */
import type { Plan } from '../../schemas/plan.ts'
import { detectableBefore, neededFor } from '../phases/4-report/stats/before.ts'
import { usualPower } from '../phases/4-report/stats/options.ts'
import { round } from '../phases/4-report/stats/round.ts'

/** Of --dry-run. */
export interface DesignWish {
  /** null: 0.8. */
  power: number | null
  /** The difference that should be found; null: none is named. */
  detect: number | null
}

export interface Detectable {
  power: number
  /** That can run and are graded. */
  cases: number
  these_cases: number
  cases_like_these: number | null
}

/** `runs` a case and arm on these cases; `cases` with the planned runs for cases like these, null: no verdict with --until. */
export interface NeededFor {
  detect: number
  runs: number
  cases: number | null
}

export function detectableOf(plan: Plan, power = usualPower): Detectable {
  const { these_cases, cases_like_these: sample } = detectableBefore(plannedOf(plan, power))
  const like = sample === null ? null : round(sample, 6)
  return { power, cases: gradedIn(plan).length, these_cases: round(these_cases, 6), cases_like_these: like }
}

export function neededOf(plan: Plan, { power, detect }: DesignWish): NeededFor | null {
  return detect === null ? null : { detect, ...neededFor(detect, plannedOf(plan, power ?? usualPower)) }
}

function gradedIn({ cases }: Plan) {
  return cases.filter((one) => one.cannot_run === null && one.expectations.length + one.checks.length > 0)
}

function plannedOf(plan: Plan, power: number) {
  const { options } = plan
  const graded = gradedIn(plan)
  const inverse = graded.reduce((sum, one) => sum + 1 / (one.expectations.length + one.checks.length), 0)
  const expectations = graded.length === 0 ? 1 : graded.length / inverse
  return {
    cases: Math.max(1, graded.length),
    runs: options.runs,
    expectations,
    until: options.until !== undefined,
    power,
  }
}
