/** The difference that a plan can detect, before any spending, and the sample size that a wanted difference needs. */
import type { Plan } from '../../../schemas/plan.ts'
import { hasGainCriterion } from '../../phases/1-plan/check/rules/check_rules.ts'
import { round } from '../../phases/4-report/stats/numbers/round.ts'
import { computeNeededSize, plannedDetectable } from '../../phases/4-report/stats/power/power_before_run.ts'
import { usualPower } from '../../phases/4-report/stats/statistics_options.ts'
import type { DesignWish } from '../prepare/prepare_bench.ts'

export interface DetectableDifference {
  power: number
  /** Cases that can run and have a criterion other than indicators. */
  cases: number
  these_cases: number
  cases_like_these: number | null
  /** Per case and arm: with fewer no outcome is significant on these cases. Absent: not known. */
  fewest_runs?: number | undefined
}

/** `runs` per case and arm for these cases; `cases` with the planned runs for similar cases, null: no verdict with --until. */
export interface RequiredSampleSize {
  detect: number
  runs: number
  cases: number | null
}

export function computeDetectableDifference(plan: Plan, power = usualPower): DetectableDifference {
  const { these_cases, cases_like_these: sample, fewest_runs } = plannedDetectable(toPowerDesign(plan, power))
  const like = sample === null ? null : round(sample, 6)
  const cases = selectGradedCases(plan).length
  return { power, cases, these_cases: round(these_cases, 6), cases_like_these: like, fewest_runs }
}

export function computeRequiredSampleSize(plan: Plan, { power, detect }: DesignWish): RequiredSampleSize | null {
  return detect === null ? null : { detect, ...computeNeededSize(detect, toPowerDesign(plan, power ?? usualPower)) }
}

function selectGradedCases({ cases }: Plan) {
  return cases.filter((one) => one.cannot_run === null && hasGainCriterion(one))
}

function toPowerDesign(plan: Plan, power: number) {
  const { options } = plan
  const graded = selectGradedCases(plan)
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
