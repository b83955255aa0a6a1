/** What a reader of recorded sessions is: one for files of a record a line, one for files that are a single document. */
import type { Session } from './session.ts'

export interface ReadSession {
  session: Session
  /** Ids of its records, which a copy of the session in another file repeats; empty: its records have none. */
  recordIds: ReadonlySet<string>
}

export type SessionOutcome = ReadSession | { refused: string }

/** Reads one file line by line. It never throws for what a line contains. */
export interface LineReader {
  /** `number` of the line, from 1. */
  take(line: string, number: number): void
  end(): SessionOutcome
}

export interface SessionFile {
  /** Absolute path. */
  file: string
  /** ISO time of its last change: for records without a time. */
  changedAt: string
}

export interface SessionLineFormat {
  /** Whether a record, one of the first of its file, is of this format. */
  recognizes(record: Record<string, unknown>): boolean
  open(file: SessionFile): LineReader
}

/** All that one agent program writes. `refused`: why a file with this name can't be read. */
export interface SessionFormats {
  lines?: readonly SessionLineFormat[]
  documents?: readonly SessionDocumentFormat[]
  refused?: Readonly<Record<string, string>>
}

export interface SessionDocumentFormat {
  recognizes(document: Record<string, unknown>): boolean
  read(document: Record<string, unknown>, file: SessionFile): SessionOutcome | Promise<SessionOutcome>
}
