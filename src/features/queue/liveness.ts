/** Notes that coordinators and workers keep up for each other, and those that ask for the end of jobs. */
import type { QueueNote, WorkerNote } from '../../../schemas/queue_job.ts'

export type LimitNote = Extract<QueueNote, { kind: 'limit' }>

/** Milliseconds without a change after which the owner of a limit's note counts as gone. */
export const usualStaleMs = 60_000

/** The same for a worker's note, whose heartbeat comes every five seconds or so. */
const silentMs = 30_000

export function limitNoteId(benchmark: string): string {
  return `limit-${benchmark}`
}

/** Tells live notes of a kind from stale ones by their changes between polls, so that clocks need not agree. */
export class LiveNotes<N extends LimitNote | WorkerNote> {
  readonly #kind: N['kind']
  readonly #staleMs: number
  readonly #now: () => number
  readonly #seen = new Map<string, { at: string; since: number }>()
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(kind: N['kind'], staleMs = kind === 'worker' ? silentMs : usualStaleMs, now = () => performance.now()) {
    this.#kind = kind
    this.#staleMs = staleMs
    this.#now = now
  }

  /** A note seen for the first time counts as live. */
  look(all: readonly QueueNote[]): { kept: N[]; silent: N[] } {
    const notes = all.filter((note): note is N => note.kind === this.#kind)
    const now = this.#now()
    if (now - this.#lookedAt > this.#staleMs / 2) this.#seen.clear() // either side may have been offline, so no note counts as stale
    this.#lookedAt = now
    const ids = new Set(notes.map(ownerId))
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id)
    const silent = notes.filter((note) => this.#isSilent(note, now))
    return { kept: notes.filter((note) => !silent.includes(note)), silent }
  }

  #isSilent(note: N, now: number): boolean {
    const { at } = note
    const id = ownerId(note)
    const seen = this.#seen.get(id)
    if (seen?.at === at) return now - seen.since > this.#staleMs
    this.#seen.set(id, { at, since: now })
    return false
  }
}

function ownerId(note: LimitNote | WorkerNote): string {
  return note.kind === 'limit' ? note.benchmark : note.worker
}

type EndNote = Extract<QueueNote, { kind: 'end' }>

export const endReasons = {
  cancelled: 'cancelled',
  deadline: 'the deadline was reached',
  left: 'its coordinator left',
} satisfies Record<EndNote['why'], string>

export function endNoteId(job: string): string {
  return `end-${job}`
}

/** One for each queue; a new one replaces it. */
export function cancelNoteId(queue: string): string {
  return `cancelled-${queue}`
}

/** A job that is not wanted. */
class Unwanted extends Error {
  override readonly name = 'Unwanted'
}

/** Ends the requested jobs: at a deadline the run's record is kept, otherwise nothing is. */
export function endRequestedJobs(
  notes: readonly QueueNote[],
  inHand: ReadonlyMap<string, { stop: (reason: Error) => void; deadline: AbortController }>,
): void {
  for (const note of notes) {
    if (note.kind !== 'end') continue
    const one = inHand.get(note.job)
    if (one === undefined) continue
    const reason = new Unwanted(endReasons[note.why])
    if (note.why === 'deadline') one.deadline.abort(reason)
    else one.stop(reason)
  }
}

const staleMs = 24 * 3_600_000

/** Notes that stayed too long: their jobs had already ended. */
export function listStaleNotes(notes: readonly QueueNote[], now: Date): string[] {
  return notes.flatMap((note) =>
    note.kind === 'end' && now.getTime() - Date.parse(note.at) > staleMs ? [endNoteId(note.job)] : [],
  )
}

export interface IntervalTask {
  /** Runs it once more after the current pass, shared by all requests until then; resolves when that pass is done. */
  soon(): Promise<void>
  /** Stops the interval; `soon` still works. */
  stop(): void
}

/** A failed pass is retried at the next interval. */
export function startIntervalTask(work: () => Promise<void>, everyMs: number): IntervalTask {
  /** The latest requested pass. */
  let last = Promise.resolve()
  let next: Promise<void> | null = null
  const pass = async () => {
    next = null
    await work().catch(() => {})
  }
  const soon = () => {
    if (next === null) {
      last = last.then(pass)
      next = last
    }
    return next
  }
  const timer = setInterval(() => void soon(), everyMs)
  return { soon, stop: () => clearInterval(timer) }
}
