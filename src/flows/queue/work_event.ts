/** What a worker tells of its work, for logs, metrics and traces. */
import type { RunRecord } from '../../../schemas/run.ts'

interface AboutJob {
  job: string
  run_id: string
  benchmark: string
  queue: string
}

export type WorkEvent =
  | { type: 'queue_held'; queue: string; engine: string; tags: readonly string[] }
  /** `starts`: how often a worker has begun it, this time included. */
  | ({ type: 'job_started'; starts: number } & AboutJob)
  | ({ type: 'job_ended'; attempt: number; record: RunRecord } & AboutJob)
  /** It was not brought to an end here: lock lost, cancelled, inputs damaged, a bug. */
  | ({ type: 'job_left'; reason: string } & AboutJob)
  | { type: 'trouble'; message: string }

export type TellWork = (event: WorkEvent) => void
