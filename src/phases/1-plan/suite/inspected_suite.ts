/** A suite with the facts that a check needs: the place of each case, and every mistake that loading refuses. */
import type { Suite } from '../../../../schemas/suite.ts'

export interface InspectedSuite {
  suite: Suite
  /** One per case, in the suite's order. `at`: JSON path; null: the file is the case. */
  places: CasePlaceInFile[]
  mistakes: SuiteMistake[]
}

export interface CasePlaceInFile {
  /** Absolute. */
  file: string
  at: string | null
}

export interface SuiteMistake {
  /** JSON path, or file:line:column where the file is the case. */
  at: string
  message: string
}

/** Index of the case that has a mistake; -1: the mistake concerns the whole suite. */
export function indexOfCase(places: InspectedSuite['places'], mistake: SuiteMistake): number {
  return places.findIndex(({ file, at }) => mistake.at.startsWith(at === null ? `${file}:` : `${at}.`))
}
