/** The words between who has work and who does it elsewhere: a queue that carries small things and keeps nothing for good. */

/** What goes through a queue: small, as JSON. */
export interface QueuedJob {
  /** Known by what it is: the same one again is not added again. Holds no colon. */
  id: string
  data: unknown
}

/** How a job ended. `gone`: nobody knows it, since it was taken away before anybody did it, or the server has lost it. */
export type JobEnd = { as: 'done'; value: unknown } | { as: 'failed'; reason: string } | { as: 'gone' }

/** A job in the hands of a worker. */
export interface TakenJob extends QueuedJob {
  /** How often it was begun, this time included. */
  starts: number
  /** What a worker noted with it before, as JSON. */
  noted: unknown
  /** Kept with the job, in place of what was noted before, for whoever has it next. */
  note: (value: object) => Promise<void>
  /** Aborted: LostJob, where it is another worker's by now, or what `stop` was given. */
  signal: AbortSignal
  /** Ends it, here or by the id at the hold. */
  stop: (reason: unknown) => void
}

/** The lock of the job is another's: nothing that is still done for it counts. */
export class LostJob extends Error {
  override readonly name = 'LostJob'
}

/** Thrown by a worker that does not do the job after all: it waits again, for any worker. */
export class GiveBack extends Error {
  override readonly name = 'GiveBack'
}

export interface WorkOptions {
  /** Jobs at once. */
  atOnce: number
  /** Gives the small result; throws GiveBack, or what becomes the reason of a failed job. */
  handle: (job: TakenJob) => Promise<unknown>
  /** What goes wrong with the queue itself, such as a connection that is lost for a while. */
  onTrouble: (message: string) => void
}

/** A worker's hold on a queue. */
export interface Working extends AsyncDisposable {
  /** Takes nothing new until `go`. */
  pause(): void
  go(): void
  /** Ends a job that is in hand; false: it is not. */
  stop(id: string, reason: Error): boolean
}

export interface QueueCounts {
  waiting: number
  active: number
  /** Ended, and not fetched yet by who waits. */
  done: number
  failed: number
  isDrained: boolean
  /** At most so many at once over all workers; null: no limit. */
  limit: number | null
}

/** Locks and their ends, in milliseconds. */
export interface QueueTiming {
  /** A job whose worker says nothing for so long is given to another. */
  lockMs: number
  /** How often that is looked at. */
  stalledMs: number
  /** How often a job may lose its worker; then it has failed. */
  maxStalled: number
}

/** From how long a lock lasts, in seconds. */
export function timingOf(lockSeconds: number): QueueTiming {
  const lockMs = Math.round(lockSeconds * 1000)
  return { lockMs, stalledMs: Math.max(200, Math.round(lockMs / 3)), maxStalled: 5 }
}

export const usualTiming: QueueTiming = timingOf(60)

/** A note that all can read: which queues there are, who works, what is to be ended. */
interface Note {
  id: string
  value: unknown
}

/**
 * A queue server. Every call waits as long as the server can't be reached, and rejects with UserError only where that can't
 * mend by itself (a wrong password); `close` ends all waiting.
 */
export interface Transport extends AsyncDisposable {
  /** Where it is, without secrets. */
  readonly place: string
  submit(queue: string, job: QueuedJob): Promise<void>
  /** Resolves when the job has ended, however long ago, and when nobody knows it any more. Rejects with the abort reason. */
  wait(queue: string, id: string, signal: AbortSignal): Promise<JobEnd>
  work(queue: string, options: WorkOptions): Promise<Working>
  counts(queue: string): Promise<QueueCounts>
  /** true: no worker takes anything from it until false. */
  drain(queue: string, isDrained: boolean): Promise<void>
  /** Takes jobs away that wait or have ended. Gives those that are in a worker's hands, and stay there. */
  remove(queue: string, ids: readonly string[]): Promise<string[]>
  /** Puts failed jobs back; gives how many. */
  retry(queue: string): Promise<number>
  /** Ids of all jobs that wait or are in hand, or of those with such data. */
  open(queue: string, isMeant?: (data: unknown) => boolean): Promise<string[]>
  /** Jobs that have ended and were not removed, at most 10,000. */
  ended(queue: string): Promise<QueuedJob[]>
  /** At most so many jobs at once over all workers; null: no limit. */
  limit(queue: string, atOnce: number | null): Promise<void>
  /** Puts a note up in place of one of the same id. */
  post(note: Note): Promise<void>
  notes(): Promise<Note[]>
  takeDown(id: string): Promise<void>
}
