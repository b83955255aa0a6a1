/** The granularity of case means: with few pass-or-fail runs, many cases tie by chance. */
import { fewestVariedCases } from '../../../../base/smallest_design.ts'
import type { CaseScores } from '../scores/case_scores.ts'

/**
 * Verdicts per case and arm, the harmonic mean over the cases: runs × expectations. If every score is 0 or 1, a run's expectations count as
 * one, because they agree.
 */
export function countVerdicts(cases: readonly CaseScores[]): number {
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

/** Whether the cases that differ are not a lucky selection, so that their t interval keeps its coverage. */
export function isFineBetweenCases(cases: readonly CaseScores[]): boolean {
  return cases.length >= fewestVariedCases(countVerdicts(cases))
}
