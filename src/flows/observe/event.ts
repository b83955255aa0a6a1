/** What happens at a worker that someone may want to see: logs, metrics and traces are made of these alone. */
import type { RunRecord } from '../../../schemas/run.ts'

/** A run in a worker's hands. */
interface InHand {
  job: string
  /** The queue it came through. */
  queue: string
  /** Id of its benchmark, the same for all of its runs. */
  benchmark: string
  run_id: string
  engine: string
}

export type WorkerEvent =
  | { type: 'worker_started'; worker: string; place: string; concurrency: number; engines: readonly string[] }
  | { type: 'worker_stopped'; worker: string; done: number; failed: number }
  | ({ type: 'job_taken'; starts: number } & InHand)
  | ({ type: 'run_ended'; attempt: number; record: RunRecord } & InHand)
  /** Its lock is another worker's by now: the agent was ended, nothing of it counts. */
  | ({ type: 'job_lost'; reason: string } & InHand)
  /** It was not begun: unsigned, unfit, or its inputs are damaged. */
  | { type: 'job_refused'; job: string; queue: string; reason: string }
  | { type: 'bundle_damaged'; bundle: string; at: string | null; place: string; problem: string }
  | { type: 'queue_trouble'; message: string }

/** Gets each event as it happens. Never throws: who watches must not stop the work. */
export type Observe = (event: WorkerEvent) => void
