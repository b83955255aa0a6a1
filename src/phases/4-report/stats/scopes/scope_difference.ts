/** Parts of a scope's difference: the means of both configurations, the counts, and rounded bounds. */
import type { ScopeDifference } from '../../../../../schemas/benchmark_statistics.ts'
import type { Interval } from '../numbers/describe.ts'
import { sampleMean } from '../numbers/moments.ts'
import { round } from '../numbers/round.ts'
import type { CaseScores } from '../scores/case_scores.ts'

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
