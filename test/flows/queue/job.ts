/** A job of a queue for tests, as a coordinator without a key would submit it; parts can be changed. */
import type { RunSpec } from '../../../schemas/plan.ts'
import { type QueueJob, queueJob } from '../../../schemas/queue_job.ts'

export function jobOf(run: RunSpec, changes: Partial<QueueJob> = {}): QueueJob {
  return queueJob.parse({
    ...{ schema_version: 4, benchmark: '0123456789abcdef', attempt: 1, run, inputs: null, skills: {}, prompt: null },
    ...{ pass_env: [], sandbox: { mode: 'off', network: null }, idle_ms: null, keep_work: false, signature: null },
    ...{ expires_at: '2026-01-15T10:31:00.000Z' },
    ...changes,
  })
}
