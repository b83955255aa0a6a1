/** The difference of a scope, and the verdict from its means, its interval and its p-value, with the rule behind it. */
import type { ScopeDifference, Verdict } from '../../../../../schemas/benchmark_statistics.ts'
import type { Interval } from '../numbers/describe.ts'
import { sampleMean } from '../numbers/moments.ts'
import { formatFixed, round } from '../numbers/round.ts'
import type { CaseScores } from '../scores/case_scores.ts'
import type { StatisticsOptions } from '../statistics_options.ts'

export interface ScopeDecision {
  verdict: Verdict
  rule: string
}

export interface VerdictOptions extends Pick<StatisticsOptions, 'alpha' | 'margin'> {
  /** Why a design of this size can't decide between helps and hurts; absent or null: it can. */
  tooSmall?: string | null
}

/** Both pass rates at or above this leave no room for a difference; both at or below 1 minus this likewise. */
const ceiling = 0.97

/** In order of precedence: not_comparable, helps or hurts, too_easy or too_hard, no_difference, inconclusive. */
export function decideScope(difference: ScopeDifference, options: VerdictOptions): ScopeDecision {
  const { mean, ci_low: low, ci_high: high, p_value: p, method } = difference
  const { alpha, margin, tooSmall = null } = options
  if (mean === null) return { verdict: 'not_comparable', rule: 'no case was graded in both configurations' }
  const isSignificant = tooSmall === null && p !== null && p <= alpha && low !== null && high !== null
  if (isSignificant && low > 0) return { verdict: 'helps', rule: `${method}: p ≤ ${alpha}, the interval is above 0` }
  if (isSignificant && high < 0) return { verdict: 'hurts', rule: `${method}: p ≤ ${alpha}, the interval is below 0` }
  const extreme = decideExtreme(difference)
  if (extreme !== null) return extreme
  if (low === null || high === null) return { verdict: 'inconclusive', rule: 'no interval' }
  const width = `± ${formatFixed(margin, 2)}`
  if (low > -margin && high < margin) {
    return { verdict: 'no_difference', rule: `the ${method} interval is inside ${width}` }
  }
  if (tooSmall !== null) return { verdict: 'inconclusive', rule: tooSmall }
  return { verdict: 'inconclusive', rule: `${method}: p > ${alpha}, and the interval is not inside ${width}` }
}

function decideExtreme({ candidate_mean: own, baseline_mean: other }: ScopeDifference): ScopeDecision | null {
  if (own === undefined || other === undefined) return null
  const percent = Math.round(100 * ceiling)
  if (Math.min(own, other) >= ceiling)
    return { verdict: 'too_easy', rule: `both configurations pass ${percent}% or more` }
  if (Math.max(own, other) <= 1 - ceiling)
    return { verdict: 'too_hard', rule: `both configurations pass ${100 - percent}% or less` }
  return null
}

type ArmMeans = Pick<ScopeDifference, 'mean' | 'candidate_mean' | 'baseline_mean' | 'n_cases' | 'n_runs'>

/** `cases`: comparable ones, at least one. Each case counts once. */
export function describeArms(cases: readonly CaseScores[]): ArmMeans {
  const meanOf = (side: 'candidate' | 'baseline') => sampleMean(cases.map((one) => sampleMean(one[side])))
  return { ...describeMeans(meanOf('candidate'), meanOf('baseline')), ...countRuns(cases) }
}

export function describeMeans(candidate: number, baseline: number): Omit<ArmMeans, 'n_cases' | 'n_runs'> {
  return {
    mean: round(candidate - baseline, 6),
    candidate_mean: round(candidate, 6),
    baseline_mean: round(baseline, 6),
  }
}

export function shareBounds({ low, high }: Interval): Pick<ScopeDifference, 'ci_low' | 'ci_high'> {
  return { ci_low: round(low, 6), ci_high: round(high, 6) }
}

/** Nothing to compare, or no interval. */
export function emptyDifference(cases: readonly CaseScores[]): ScopeDifference {
  return { mean: null, ci_low: null, ci_high: null, method: null, p_value: null, p_method: null, ...countRuns(cases) }
}

function countRuns(cases: readonly CaseScores[]): Pick<ScopeDifference, 'n_cases' | 'n_runs'> {
  const runs = cases.reduce((sum, one) => sum + one.candidate.length + one.baseline.length, 0)
  return { n_cases: cases.length, n_runs: runs }
}
