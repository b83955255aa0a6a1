/** A session that an agent program recorded while a person worked with it: one model for all formats, and what the reader of a format is. */
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import type { Usage } from '../../../schemas/usage.ts'
import { findReadSkills } from '../../engines/answers/skill_read.ts'
import type { EmittedEvent } from '../../engines/engine.ts'

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

/** Characters of an unread record that are shown. */
const shownLimit = 120

export class SessionRecorder {
  id: string | null = null
  model: string | null = null
  cwd: string | null = null
  records = 0
  lastText = ''
  stopReason: string | null = null

  readonly #file: string
  readonly #agent: string
  readonly #events: TranscriptEvent[] = []
  readonly #open = new Map<string, { via: string; names: string[] }>()
  readonly #read = new Set<string>()
  #offered: Set<string> | null = null
  #at: string
  #first: string | null = null
  #last: string | null = null
  #unread: Session['unread'] = { count: 0, first: null }
  #step = 0

  /** `at`: ISO time for records without one. */
  constructor(file: string, agent: string, at: string) {
    this.#file = file
    this.#agent = agent
    this.#at = at
  }

  /** Whether something was said or done. */
  get isEmpty(): boolean {
    return !this.#events.some(({ type }) => type === 'user' || type === 'assistant' || type === 'tool_call')
  }

  /** Sets the time of what follows: an ISO text, or milliseconds since 1970. Anything else changes nothing. */
  setTime(time: unknown): void {
    const ms = typeof time === 'number' ? time : typeof time === 'string' ? Date.parse(time) : Number.NaN
    if (!Number.isFinite(ms) || Math.abs(ms) > 8.64e15) return
    this.#at = new Date(ms).toISOString()
    this.#first = this.#first === null || this.#at < this.#first ? this.#at : this.#first
    this.#last = this.#last === null || this.#at > this.#last ? this.#at : this.#last
  }

  /** Adds an event; the result of a call that read a skill adds that too. */
  emit = (event: EmittedEvent): void => {
    this.#events.push({ ...event, at: this.#at })
    this.#step = event.step
    if (event.type === 'assistant') this.lastText = event.text
    if (event.type === 'tool_call') {
      const names = findReadSkills(event)
      if (names.length > 0) this.#open.set(event.id, { via: event.name, names })
    }
    if (event.type === 'tool_result') {
      const call = this.#open.get(event.id)
      this.#open.delete(event.id)
      if (!event.is_error) for (const name of call?.names ?? []) this.readSkill(name, call?.via ?? event.name)
    }
  }

  /** What the person wrote; an empty text adds nothing. */
  say(text: string): void {
    const said = text.trim()
    if (said !== '') this.emit({ type: 'user', step: this.#step, text: said })
  }

  /** Something that the program added or did. */
  note(subtype: string, text: string): void {
    this.emit({ type: 'system', step: this.#step, subtype, text })
  }

  offer(names: readonly string[]): void {
    this.#offered = new Set([...(this.#offered ?? []), ...names])
  }

  readSkill(skill: string, via: string): void {
    if (this.#read.has(skill)) return
    this.#read.add(skill)
    this.emit({ type: 'skill_read', step: this.#step, skill, via })
  }

  /** Counts a record that could not be read. `place`: such as `line 3`. */
  skip(place: string, text: string): void {
    this.#unread.count += 1
    const shown = text.length > shownLimit ? `${text.slice(0, shownLimit)}…` : text
    this.#unread.first ??= `${place}: ${shown}`
  }

  end({ usage, costUsd }: { usage: Usage | null; costUsd: number | null }): Session {
    const stop_reason = this.stopReason ?? 'unknown'
    const result = { type: 'result' as const, step: this.#step, text: this.lastText, stop_reason, usage }
    this.#events.push({ ...result, at: this.#at, cost_usd: costUsd })
    return {
      file: this.#file,
      agent: this.#agent,
      id: this.id ?? this.#file,
      model: this.model,
      cwd: this.cwd,
      startedAt: this.#first,
      endedAt: this.#last,
      skills: { offered: this.#offered === null ? null : [...this.#offered], read: [...this.#read] },
      usage,
      costUsd,
      events: this.#events,
      unread: this.#unread,
      records: this.records,
    }
  }
}
