/** What a set of trigger queries is in memory, whatever its file looked like. */
import type { LoadWarning } from '../../../../schemas/suite.ts'

export interface TriggerQuery {
  /** Its place in the set, from 1. */
  number: number
  /** The set's own id. */
  id: string | null
  query: string
  shouldTrigger: boolean
  split: 'train' | 'test' | null
  /** A model wrote it and nobody has reviewed it yet. */
  draft: boolean
  /** The set's own reason, note or category. */
  note: string | null
}

export interface QuerySet {
  /** Absolute. */
  path: string
  sha256: string
  /** The shape it was read as. */
  format: string
  queries: TriggerQuery[]
  warnings: LoadWarning[]
}
