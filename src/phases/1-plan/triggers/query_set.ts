/** The in-memory form of a set of trigger queries, whatever its file format. */
import type { LoadWarning } from '../../../../schemas/suite.ts'

export interface TriggerQuery {
  /** Position in the set, from 1. */
  number: number
  /** The set's own id; null: none. */
  id: string | null
  query: string
  shouldTrigger: boolean
  split: 'train' | 'test' | null
  /** Written by a model and not reviewed. */
  draft: boolean
  /** The set's own reason, note or category; null: none. */
  note: string | null
}

export interface QuerySet {
  /** Absolute. */
  path: string
  sha256: string
  /** Format of its file, such as "list". */
  format: string
  queries: TriggerQuery[]
  warnings: LoadWarning[]
}
