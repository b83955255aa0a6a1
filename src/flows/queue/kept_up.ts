/** Which notes are kept up by who posted them: judged by their changes from look to look, so that nobody's clock matters. */
import type { QueueNote } from '../../../schemas/queue_job.ts'

export type LimitNote = Extract<QueueNote, { kind: 'limit' }>

/** From how long a note stays as it was, in milliseconds: whoever put it up is gone. */
export const usualStaleMs = 60_000

export function limitNoteId(benchmark: string): string {
  return `limit-${benchmark}`
}

export class KeptUp {
  readonly #staleMs: number
  readonly #now: () => number
  readonly #seen = new Map<string, { at: string; since: number }>()
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(staleMs = usualStaleMs, now = () => performance.now()) {
    this.#staleMs = staleMs
    this.#now = now
  }

  /** The limits among these notes, told apart. One that was never seen before counts as kept up. */
  look(notes: readonly QueueNote[]): { kept: LimitNote[]; silent: LimitNote[] } {
    const now = this.#now()
    if (now - this.#lookedAt > this.#staleMs / 2) this.#seen.clear() // the server was away, or we were: nobody can be blamed for it
    this.#lookedAt = now
    const limits = notes.filter((note) => note.kind === 'limit')
    const ids = new Set(limits.map(({ benchmark }) => benchmark))
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id)
    const silent = limits.filter((note) => this.#isSilent(note, now))
    return { kept: limits.filter((note) => !silent.includes(note)), silent }
  }

  #isSilent({ benchmark, at }: LimitNote, now: number): boolean {
    const seen = this.#seen.get(benchmark)
    if (seen?.at === at) return now - seen.since > this.#staleMs
    this.#seen.set(benchmark, { at, since: now })
    return false
  }
}
