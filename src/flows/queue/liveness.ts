/** Tells live notes from stale ones by their changes between polls, so that clocks need not agree. */
import type { QueueNote, WorkerNote } from '../../../schemas/queue_job.ts'

export type LimitNote = Extract<QueueNote, { kind: 'limit' }>

/** Milliseconds without a change after which a note's owner counts as gone. */
export const usualStaleMs = 60_000

export function limitNoteId(benchmark: string): string {
  return `limit-${benchmark}`
}

/** The same for a worker's note, whose heartbeat comes every five seconds or so. */
const silentMs = 30_000

/** Tracks the limit notes. */
export class LiveLimits {
  readonly #keptUp: LivenessTracker<LimitNote>

  constructor(staleMs = usualStaleMs, now?: () => number) {
    this.#keptUp = new LivenessTracker(({ benchmark }) => benchmark, staleMs, now)
  }

  look(notes: readonly QueueNote[]): SortedNotes<LimitNote> {
    return this.#keptUp.look(notes.filter((note) => note.kind === 'limit'))
  }
}

/** Tracks the live workers. */
export class LiveWorkers {
  readonly #keptUp: LivenessTracker<WorkerNote>

  constructor(staleMs = silentMs, now?: () => number) {
    this.#keptUp = new LivenessTracker(({ worker }) => worker, staleMs, now)
  }

  look(notes: readonly QueueNote[]): WorkerNote[] {
    return this.#keptUp.look(notes.filter((note) => note.kind === 'worker')).kept
  }
}

/** Live and stale notes. */
interface SortedNotes<N> {
  kept: N[]
  silent: N[]
}

class LivenessTracker<N extends { at: string }> {
  readonly #idOf: (note: N) => string
  readonly #staleMs: number
  readonly #now: () => number
  readonly #seen = new Map<string, { at: string; since: number }>()
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(idOf: (note: N) => string, staleMs: number, now = () => performance.now()) {
    this.#idOf = idOf
    this.#staleMs = staleMs
    this.#now = now
  }

  /** A note seen for the first time counts as live. */
  look(notes: readonly N[]): SortedNotes<N> {
    const now = this.#now()
    if (now - this.#lookedAt > this.#staleMs / 2) this.#seen.clear() // either side may have been offline, so no note counts as stale
    this.#lookedAt = now
    const ids = new Set(notes.map(this.#idOf))
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id)
    const silent = notes.filter((note) => this.#isSilent(note, now))
    return { kept: notes.filter((note) => !silent.includes(note)), silent }
  }

  #isSilent(note: N, now: number): boolean {
    const { at } = note
    const id = this.#idOf(note)
    const seen = this.#seen.get(id)
    if (seen?.at === at) return now - seen.since > this.#staleMs
    this.#seen.set(id, { at, since: now })
    return false
  }
}
