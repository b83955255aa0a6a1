/** The smallest designs that can be significant: below them even runs that all agree could be chance. `check`, `bench` and reports share it. */
import { gammaln, harmonicMean } from 'simple-statistics'

interface CaseRuns {
  candidate: { length: number }
  baseline: { length: number }
}

/** Per case and configuration, of a benchmark that names no other number. */
export const defaultRuns = 3

/** Cases that must differ for a verdict on similar cases: five that all differ have p = 2/2^5 = 0.0625 by the sign-flip test. */
export const fewestSimilarCases = 6

/** Cases that are enough for a verdict on similar cases. */
export interface SimilarCasesSize {
  /** If the difference is the same in every case. */
  uniform: number
  /** If it varies, and the criteria of a run pass or fail apart from each other. */
  varied_low: number
  /** If it varies, and each run meets all of its criteria or none. */
  varied_high: number
}

/** `criteria`: of each case. `check` and `bench` say the same. */
export function planSimilarCases(runs: number, criteria: readonly number[]): SimilarCasesSize {
  return {
    uniform: fewestSimilarCases,
    varied_low: fewestVariedCases(runs * harmonicMean([...criteria])),
    varied_high: fewestVariedCases(runs),
  }
}

/** "at least 6 cases, or 7–9 if the difference varies between cases" */
export function describeSimilarCases(size: SimilarCasesSize): string {
  const { uniform, varied_high: high } = size
  const varied = high === uniform ? '' : `, or ${formatVariedCases(size)} if the difference varies between cases`
  return `at least ${uniform} cases${varied}`
}

/** "7–9" */
export function formatVariedCases({ varied_low: low, varied_high: high }: SimilarCasesSize): string {
  return low === high ? `${low}` : `${low}–${high}`
}

/** (Cases − 5) × verdicts must be at least this; with less, only lucky suites have enough cases that differ. */
const leastBeyondFive = 12

/** Cases for an interval of a difference that varies between them, by the verdicts (runs × criteria) per case and configuration. */
export function fewestVariedCases(verdicts: number): number {
  return 5 + Math.ceil(leastBeyondFive / verdicts - 1e-9)
}

/** Whether even a unanimous outcome has a permutation p-value above alpha, as with 1 case × 3 runs, 2 × 2 or 5 × 1. */
export function isTooSmall(cases: readonly CaseRuns[], alpha: number): boolean {
  return smallestPValue(cases) > alpha
}

/** The two-sided permutation p-value of a unanimous outcome, the smallest that this design can give; above 1 for one run in all. */
export function smallestPValue(cases: readonly CaseRuns[]): number {
  const ways = cases.reduce((sum, { candidate, baseline }) => sum + logWays(candidate.length, baseline.length), 0)
  return Math.exp(Math.log(2) - ways)
}

/** The fewest runs per case and configuration with which a unanimous outcome is significant. */
export function fewestRuns(cases: number, alpha: number): number {
  let runs = 1
  while (Math.log(2) - cases * logWays(runs, runs) > Math.log(alpha)) runs += 1
  return runs
}

/** ln of the number of ways to assign the runs of a case to the configurations. */
function logWays(own: number, other: number): number {
  return gammaln(own + other + 1) - gammaln(own + 1) - gammaln(other + 1)
}
