/** The events of a worker's job processing: the only source of its logs, metrics and traces. */
import type { RunRecord } from '../../../../schemas/run.ts'

interface AboutJob {
  job: string
  run_id: string
  /** Its benchmark's id, the same for all of its runs. */
  benchmark: string
  queue: string
  engine: string
}

export type WorkEvent =
  | { type: 'worker_started'; worker: string; place: string; concurrency: number; engines: readonly string[] }
  | { type: 'worker_stopped'; worker: string; done: number; failed: number }
  | { type: 'queue_held'; queue: string; engine: string; tags: readonly string[] }
  /** `starts`: how often a worker has started it, including this time. */
  | ({ type: 'job_started'; starts: number } & AboutJob)
  | ({ type: 'job_ended'; attempt: number; record: RunRecord } & AboutJob)
  /** Not completed here: cancelled, damaged inputs, or a bug. `lost`: another worker has it. */
  | ({ type: 'job_left'; reason: string; lost: boolean } & AboutJob)
  /** Not started: not signed with this worker's key, or not accepted. */
  | { type: 'job_refused'; job: string; queue: string; reason: string }
  /** `at`: the path in the bundle; null: the bundle's file list. */
  | { type: 'bundle_damaged'; bundle: string; at: string | null; place: string; problem: string }
  /** A resource shortage, such as disk space, or a read-only shared folder: takes no jobs until it is fixed. */
  | { type: 'intake_stopped'; reason: string }
  | { type: 'intake_resumed' }
  | { type: 'trouble'; message: string }

/** Receives each event at once. Never throws: an observer must not stop the work. */
export type ReportWorkEvent = (event: WorkEvent) => void
