/** The smallest designs that can be significant: below them even runs that all agree could be chance. `check`, `bench` and reports share it. */
import { gammaln } from 'simple-statistics'

/** Runs of one case by configuration. */
interface CaseRuns {
  candidate: { length: number }
  baseline: { length: number }
}

/** Cases that must differ for a verdict on similar cases: five that all differ have p = 2/2^5 = 0.0625 by the sign-flip test. */
export const fewestSimilarCases = 6

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
