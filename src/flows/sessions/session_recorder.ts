/** Collects what a reader of one format finds, and makes a session of it. */
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import type { Usage } from '../../../schemas/usage.ts'
import { findReadSkills } from '../../engines/answers/skill_read.ts'
import type { EmittedEvent } from '../../engines/engine.ts'
import type { Session } from './session.ts'

/** Characters of an unread record that are shown. */
const shownLimit = 120

export class SessionRecorder {
  id: string | null = null
  model: string | null = null
  cwd: string | null = null
  /** Records so far. */
  records = 0
  /** The last text of the agent. */
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
