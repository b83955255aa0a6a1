/** Which notes are kept up by who posted them: judged by their changes from look to look, so that nobody's clock matters. */
import type { QueueNote, WorkerNote } from '../../../schemas/queue_job.ts'

export type LimitNote = Extract<QueueNote, { kind: 'limit' }>

/** From how long a note stays as it was, in milliseconds: whoever put it up is gone. */
export const usualStaleMs = 60_000

export function limitNoteId(benchmark: string): string {
  return `limit-${benchmark}`
}

/** From how long a worker's note stays as it was: it says that it lives every five seconds or so. */
const silentMs = 30_000

/** The limits among notes. */
export class KeptLimits {
  readonly #keptUp: KeptUp<LimitNote>

  constructor(staleMs = usualStaleMs, now?: () => number) {
    this.#keptUp = new KeptUp(({ benchmark }) => benchmark, staleMs, now)
  }

  look(notes: readonly QueueNote[]): Told<LimitNote> {
    return this.#keptUp.look(notes.filter((note) => note.kind === 'limit'))
  }
}

/** The workers among notes that live. */
export class LivingWorkers {
  readonly #keptUp: KeptUp<WorkerNote>

  constructor(staleMs = silentMs, now?: () => number) {
    this.#keptUp = new KeptUp(({ worker }) => worker, staleMs, now)
  }

  look(notes: readonly QueueNote[]): WorkerNote[] {
    return this.#keptUp.look(notes.filter((note) => note.kind === 'worker')).kept
  }
}

/** Notes told apart. */
interface Told<N> {
  kept: N[]
  silent: N[]
}

class KeptUp<N extends { at: string }> {
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

  /** One that was never seen before counts as kept up. */
  look(notes: readonly N[]): Told<N> {
    const now = this.#now()
    if (now - this.#lookedAt > this.#staleMs / 2) this.#seen.clear() // the server was away, or we were: nobody can be blamed for it
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
