/** The interface between submitters of jobs and remote workers: a queue that carries small messages and stores nothing permanently. */

/** What goes through a queue: small, as JSON. */
export interface QueuedJob {
  /** Derived from the content: adding the same job again has no effect. Contains no colon. */
  id: string
  data: unknown
}

/** How a job ended. `gone`: unknown to the server, because it was removed before any worker ran it, or the server lost it. */
export type JobEnd = { as: 'done'; value: unknown } | { as: 'failed'; reason: string } | { as: 'gone' }

/** A job that a worker holds. */
export interface TakenJob extends QueuedJob {
  /** How often it was started, this time included. */
  starts: number
  /** The last note of a worker, as JSON. */
  noted: unknown
  /** Stores a note with the job, replacing the last one, for the next worker. */
  note: (value: object) => Promise<void>
  /** Aborted: LostJob when another worker has the job, or the reason given to `stop`. */
  signal: AbortSignal
  /** Ends the job. */
  stop: (reason: unknown) => void
}

/** Another worker has the lock of the job: further work on it does not count. */
export class LostJob extends Error {
  override readonly name = 'LostJob'
}

/** Thrown by a worker that can't run the job: it waits again, for any worker. */
export class ReleaseJob extends Error {
  override readonly name = 'GiveBack'
}

export interface WorkOptions {
  /** Maximum jobs at a time. */
  atOnce: number
  /** Returns the small result; throws ReleaseJob, or the reason of a failed job. */
  handle: (job: TakenJob) => Promise<unknown>
  /** Reports problems of the queue itself, such as a lost connection. */
  onTrouble: (message: string) => void
}

export interface QueueConsumer extends AsyncDisposable {
  /** Takes no further job until `go`. */
  pause(): void
  go(): void
}

export interface QueueCounts {
  waiting: number
  active: number
  /** Ended, and not yet fetched by the submitter. */
  done: number
  failed: number
  isDrained: boolean
  /** Maximum jobs at a time over all workers; null: no limit. */
  limit: number | null
}

/** Locks and their expiry, in milliseconds. */
export interface QueueTiming {
  /** A job goes to another worker after this long without a sign of life. */
  lockMs: number
  /** How often expired locks are checked. */
  stalledMs: number
  /** How often a job may lose its worker before it fails. */
  maxStalled: number
}

/** `lockSeconds`: duration of a lock, in seconds. */
export function createQueueTiming(lockSeconds: number): QueueTiming {
  const lockMs = Math.round(lockSeconds * 1000)
  return { lockMs, stalledMs: Math.max(200, Math.round(lockMs / 3)), maxStalled: 5 }
}

export const usualTiming: QueueTiming = createQueueTiming(60)

/** A note that all can read: existing queues, active workers, jobs to end. */
interface Note {
  id: string
  value: unknown
}

/**
 * A queue server. Every call waits while the server is unreachable, and rejects with UserError only for an error that
 * does not pass by itself (a wrong password). Disposal ends all waiting.
 */
export interface Transport extends AsyncDisposable {
  /** The address, without secrets. */
  readonly place: string
  submit(queue: string, job: QueuedJob): Promise<void>
  /** Resolves when the job has ended, however long ago, or is unknown to the server. Rejects with the abort reason. */
  wait(queue: string, id: string, signal: AbortSignal): Promise<JobEnd>
  work(queue: string, options: WorkOptions): Promise<QueueConsumer>
  counts(queue: string): Promise<QueueCounts>
  /** true: no worker takes a job from it until false. */
  drain(queue: string, isDrained: boolean): Promise<void>
  /** Removes jobs that wait or have ended. Returns the ids of those that a worker has, which stay. */
  remove(queue: string, ids: readonly string[]): Promise<string[]>
  /** Puts failed jobs back into the queue; returns their number. */
  retry(queue: string): Promise<number>
  /** Ids of all waiting or active jobs, or of those whose data matches. */
  open(queue: string, isMeant?: (data: unknown) => boolean): Promise<string[]>
  /** Jobs that have ended and were not removed, at most 10,000. */
  ended(queue: string): Promise<QueuedJob[]>
  /** Maximum jobs at a time over all workers; null: no limit. */
  limit(queue: string, atOnce: number | null): Promise<void>
  /** Adds a note, or replaces the one with the same id. */
  post(note: Note): Promise<void>
  notes(): Promise<Note[]>
  takeDown(id: string): Promise<void>
}
