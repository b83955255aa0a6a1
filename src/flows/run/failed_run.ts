/** Writes the record of a run that was not executed, or that no worker completed, with the reason only. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { FailureKind } from '../../../schemas/run.ts'
import { emptyReport } from '../../engines/engine.ts'
import { writeRunFiles } from '../../phases/2-run/collect/write_run.ts'
import type { RunResult } from '../../phases/2-run/run.ts'
import { buildRunRecord, type RunEnd } from '../../phases/2-run/run_record.ts'
import type { RunRequest } from '../../phases/2-run/run_request.ts'

export type RunFailureReason = { kind: FailureKind; message: string } | 'cancelled'

/** Fills the request's folder. `startedAt`: when the run was submitted. */
export async function recordFailedRun(request: RunRequest, why: RunFailureReason, startedAt: Date): Promise<RunResult> {
  const { spec, folder } = request
  mkdirSync(path.join(folder, 'outputs'), { recursive: true })
  writeFileSync(path.join(folder, 'transcript.jsonl'), '')
  const outcome: RunEnd['outcome'] =
    why === 'cancelled'
      ? { status: 'cancelled', report: emptyReport }
      : { status: 'failed', error: { ...why, retryable: false, retryAfterMs: null }, report: emptyReport }
  const end: RunEnd = { outcome, startedAt, endedAt: new Date(), durationMs: 0, before: null }
  const outputs = { files: [], deleted: [], left_out: [] }
  const record = buildRunRecord({ request, end, outputs, events: [], sandbox: null })
  await writeRunFiles({ folder, record, events: [], prompt: spec.prompt })
  return { record, retry: null }
}
