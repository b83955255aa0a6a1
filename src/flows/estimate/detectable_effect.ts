/** The difference that a plan can detect, before any spending, and the sample size that a wanted difference needs. */
import { harmonicMean } from 'simple-statistics'
import type { Plan } from '../../../schemas/plan.ts'
import { planSimilarCases, type SimilarCasesSize } from '../../base/smallest_design.ts'
import { listGainCriteria } from '../../phases/1-plan/check/rules/check_rules.ts'
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
  /** Cases for a verdict on similar cases; absent: adaptive stopping, or no case has a criterion. */
  similar_cases?: SimilarCasesSize | undefined
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
  const criteria = listGainCriteria(plan.cases)
  const { runs, until } = plan.options
  return {
    power,
    cases: criteria.length,
    these_cases: round(these_cases, 6),
    cases_like_these: like,
    fewest_runs,
    ...(until === undefined && criteria.length > 0 && { similar_cases: planSimilarCases(runs, criteria) }),
  }
}

export function computeRequiredSampleSize(plan: Plan, { power, detect }: DesignWish): RequiredSampleSize | null {
  return detect === null ? null : { detect, ...computeNeededSize(detect, toPowerDesign(plan, power ?? usualPower)) }
}

function toPowerDesign(plan: Plan, power: number) {
  const { options } = plan
  const criteria = listGainCriteria(plan.cases)
  return {
    cases: Math.max(1, criteria.length),
    runs: options.runs,
    expectations: criteria.length === 0 ? 1 : harmonicMean(criteria),
    until: options.until !== undefined,
    power,
  }
}
