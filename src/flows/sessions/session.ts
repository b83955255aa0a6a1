/** A session that an agent program recorded while a person worked with it: one model for all formats. */
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import type { Usage } from '../../../schemas/usage.ts'

export interface Session {
  /** Absolute path. */
  file: string
  /** Name of its program, such as codex, or of the format that several write. */
  agent: string
  id: string
  model: string | null
  cwd: string | null
  /** ISO times of the first and last record with a time; null: no record has one. */
  startedAt: string | null
  endedAt: string | null
  /** `offered` null: the records do not say which skills were offered. `read`: each name once. */
  skills: { offered: string[] | null; read: string[] }
  /** null: the records contain no token counts. */
  usage: Usage | null
  /** US dollars as the agent recorded them; null: it did not. */
  costUsd: number | null
  /** `user` events are what the person wrote. Texts that the program added are `system` events. The last event is the `result`. */
  events: TranscriptEvent[]
  /** Records that could not be read. `first`: place and text of the first one; null: there is none. */
  unread: { count: number; first: string | null }
  /** How many records the file has: lines, or the parts of a single document. */
  records: number
}

export interface RefusedFile {
  file: string
  reason: string
}

/** Sessions by start time, and the files that hold a session which can't be used. */
export interface ReadSessions {
  sessions: Session[]
  refused: RefusedFile[]
}
