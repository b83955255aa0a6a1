/** The scores of one case that the statistics work on: one share from 0 to 1 a run, by arm. */

export interface CaseScores {
  candidate: readonly number[]
  baseline: readonly number[]
  /** The mean number of expectations that a run's score is a share of; absent: not known. */
  expectations?: number
  /** The run number of each score; absent: 1, 2, 3, … */
  numbers?: { candidate: readonly number[]; baseline: readonly number[] }
}

/** Those in which both arms have a run: only they can be compared. */
export function comparable<T extends CaseScores>(cases: readonly T[]): T[] {
  return cases.filter(({ candidate, baseline }) => candidate.length > 0 && baseline.length > 0)
}
