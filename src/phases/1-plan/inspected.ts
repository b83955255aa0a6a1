/** A suite with what a check of it needs beyond: where each case is, and every mistake that loading would refuse. */
import type { Suite } from '../../../schemas/suite.ts'

export interface InspectedSuite {
  suite: Suite
  /** Of each case, in the suite's order. `at`: JSON path; null: the file is the case. */
  places: CasePlaceInFile[]
  mistakes: SuiteMistake[]
}

export interface CasePlaceInFile {
  /** Absolute. */
  file: string
  at: string | null
}

export interface SuiteMistake {
  /** JSON path. */
  at: string
  message: string
}
