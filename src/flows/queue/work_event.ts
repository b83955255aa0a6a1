/** What a worker tells of its work: logs, metrics and traces are made of these alone. */
import type { RunRecord } from '../../../schemas/run.ts'

interface AboutJob {
  job: string
  run_id: string
  /** Id of its benchmark, the same for all of its runs. */
  benchmark: string
  queue: string
  engine: string
}

export type WorkEvent =
  | { type: 'worker_started'; worker: string; place: string; concurrency: number; engines: readonly string[] }
  | { type: 'worker_stopped'; worker: string; done: number; failed: number }
  | { type: 'queue_held'; queue: string; engine: string; tags: readonly string[] }
  /** `starts`: how often a worker has begun it, this time included. */
  | ({ type: 'job_started'; starts: number } & AboutJob)
  | ({ type: 'job_ended'; attempt: number; record: RunRecord } & AboutJob)
  /** It was not brought to an end here: cancelled, inputs damaged, a bug. `lost`: it is another worker's by now. */
  | ({ type: 'job_left'; reason: string; lost: boolean } & AboutJob)
  /** It was not begun: not signed with our key, or unfit. */
  | { type: 'job_refused'; job: string; queue: string; reason: string }
  /** `at`: the path in the bundle; null: the list of what it holds. */
  | { type: 'bundle_damaged'; bundle: string; at: string | null; place: string; problem: string }
  /** The machine is short of something, such as room on its disk, or may not write to the shared folder: nothing is taken until that is mended. */
  | { type: 'intake_stopped'; reason: string }
  | { type: 'intake_resumed' }
  | { type: 'trouble'; message: string }

/** Gets each event as it happens. Never throws: who watches must not stop the work. */
export type TellWork = (event: WorkEvent) => void
