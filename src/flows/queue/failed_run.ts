/** The record of a run that no worker brought to an end: why, and nothing else. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { FailureKind } from '../../../schemas/run.ts'
import { emptyReport } from '../../engines/engine.ts'
import { type RunEnd, recordOf } from '../../phases/2-run/record.ts'
import type { RunRequest, RunResult } from '../../phases/2-run/run.ts'
import { writeRunFiles } from '../../phases/2-run/write.ts'

export type Why = { kind: FailureKind; message: string } | 'cancelled'

/** Fills the request's folder. `startedAt`: when the run was handed out. */
export async function failedRun(request: RunRequest, why: Why, startedAt: Date): Promise<RunResult> {
  const { spec, folder } = request
  mkdirSync(path.join(folder, 'outputs'), { recursive: true })
  writeFileSync(path.join(folder, 'transcript.jsonl'), '')
  const outcome: RunEnd['outcome'] =
    why === 'cancelled'
      ? { status: 'cancelled', report: emptyReport }
      : { status: 'failed', error: { ...why, retryable: false, retryAfterMs: null }, report: emptyReport }
  const end: RunEnd = { outcome, startedAt, endedAt: new Date(), durationMs: 0, before: null }
  const outputs = { files: [], deleted: [], left_out: [] }
  const record = recordOf({ request, end, outputs, events: [], sandbox: null })
  await writeRunFiles({ folder, record, events: [], prompt: spec.prompt })
  return { record, retry: null }
}
