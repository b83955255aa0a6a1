/** Writes the record of a run that was not executed or that no worker completed, and stops trying a setup that failed in the first runs. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RunSpec } from '../../../schemas/plan.ts'
import type { FailureKind, RunRecord } from '../../../schemas/run.ts'
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

/** Failed runs of a case without any other run, after which its setup is not tried again. */
const mostFailures = 2

export interface SetupFailures {
  learn(spec: RunSpec, record: RunRecord): void
  /** Why the run is not started; null: it may start. */
  refusal(spec: RunSpec): string | null
}

export function openSetupFailures(): SetupFailures {
  const cases = new Map<number, { failures: number; hasWorked: boolean; message: string }>()
  return {
    learn({ eval_id, setup }, record) {
      if (setup === null) return
      const known = cases.get(eval_id) ?? { failures: 0, hasWorked: false, message: '' }
      cases.set(eval_id, known)
      const message = commandFailure(record)
      if (message !== null) Object.assign(known, { message, failures: known.failures + 1 })
      else if (record.status !== 'failed' || record.error.kind !== 'setup') known.hasWorked = true
    },
    refusal({ eval_id }) {
      const known = cases.get(eval_id)
      if (known === undefined || known.hasWorked || known.failures < mostFailures) return null
      return `not started, because setup failed in ${mostFailures} runs of this case: ${known.message}`
    },
  }
}

/** The message of a failed command of setup; null: it did not fail, or an input file or a worker was the reason. */
function commandFailure(record: RunRecord): string | null {
  if (record.status !== 'failed' || record.error.kind !== 'setup') return null
  return record.error.message.startsWith('sh -c ') ? record.error.message : null
}
