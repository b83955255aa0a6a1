/** The scores of one case for the statistics: one share from 0 to 1 per run, by arm. */

export interface CaseScores {
  candidate: readonly number[]
  baseline: readonly number[]
  /** The mean number of expectations behind a run's score; absent: not known. */
  expectations?: number
  /** The run number of each score; absent: 1, 2, 3, … */
  numbers?: { candidate: readonly number[]; baseline: readonly number[] }
}

/** The cases with runs in both arms: only these can be compared. */
export function keepComparable<T extends CaseScores>(cases: readonly T[]): T[] {
  return cases.filter(({ candidate, baseline }) => candidate.length > 0 && baseline.length > 0)
}
