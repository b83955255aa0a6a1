/** How fine the means of the cases are: of few runs that pass or fail, many cases tie by chance, whatever is true of them. */
import type { CaseScores } from './case_scores.ts'

/** No spread from so little: cases × verdicts (simulated: test/slow). */
const leastVerdicts = 28
/** Cases beyond five × verdicts; with less, only the luckier suites have so many cases that differ. */
const leastBeyondFive = 12
/** Sums of fractions, in any order. */
const near = 1e-9

/**
 * Verdicts of a case in an arm, the harmonic mean over the cases: runs × expectations. Where no run of the benchmark meets
 * only some of its expectations, they count as one: they say the same.
 */
export function verdictsOf(cases: readonly CaseScores[]): number {
  const scores = new Set<number>()
  for (const { candidate, baseline } of cases) {
    for (const one of candidate) scores.add(one)
    for (const one of baseline) scores.add(one)
  }
  const isAllOrNothing = [...scores].every((one) => one === 0 || one === 1)
  const usual = Math.max(1, scores.size - 1)
  let inverse = 0
  for (const { candidate, baseline, expectations = usual } of cases) {
    inverse += 1 / (Math.min(candidate.length, baseline.length) * (isAllOrNothing ? 1 : Math.max(1, expectations)))
  }
  return cases.length / inverse
}

/** Whether the spread of the runs may stand for all of these cases. */
export function isFineWithin(cases: readonly CaseScores[]): boolean {
  return cases.length * verdictsOf(cases) >= leastVerdicts - near
}

/** Whether the cases that tie are no selection: then a t interval over those that differ holds as often as it says. */
export function isFineBetween(cases: readonly CaseScores[]): boolean {
  return Math.max(1, cases.length - 5) * verdictsOf(cases) >= leastBeyondFive - near
}

/** Cases that are fine enough with so many verdicts each. */
export function casesForGrain(verdicts: number): number {
  return 5 + Math.ceil(leastBeyondFive / verdicts - near)
}
