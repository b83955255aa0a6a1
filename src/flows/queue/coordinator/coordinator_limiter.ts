/** Limits the jobs of an account in progress to what it sustains, learned from all workers. */
import type { EngineChoice } from '../../../../schemas/plan.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import type { SlotEnd } from '../../../base/rate_limit_slot.ts'
import { type Account, getAccount } from '../../../engines/limits/account_limit.ts'
import { selectCredentials } from '../../../engines/models/base_url.ts'
import { findEngine } from '../../../engines/table.ts'
import type { RunResult } from '../../../phases/2-run/run.ts'
import type { RunRequest } from '../../../phases/2-run/run_request.ts'

/** A job that met a refusal on any worker counts as refused, a successful one as served. Rejects with the abort reason. */
export async function runWithinLimit(run: RunRequest, work: () => Promise<RunResult>): Promise<RunResult> {
  const { gate, signal } = run
  if (gate === undefined || !gate.governs) return await work()
  const slot = await gate.enter(signal, run.attempt > 1)
  try {
    const result = await work()
    slot.end(slotEnd(result))
    return result
  } finally {
    slot.end({ as: 'failed' })
  }
}

function slotEnd({ record, retry }: RunResult): SlotEnd {
  if (isRefused(record)) return { as: 'refused', retryAfterMs: retry?.afterMs ?? null }
  return record.status === 'failed' || record.status === 'cancelled' ? { as: 'failed' } : { as: 'served' }
}

function isRefused(record: RunRecord): boolean {
  return (record.held_back?.refusals ?? 0) > 0 || (record.status === 'failed' && record.error.kind === 'rate_limited')
}

/** The account in this process that runs on such an engine count against; null: none. */
export function resolveAccount(
  choice: EngineChoice,
  env: Readonly<Record<string, string | undefined>>,
): Account | null {
  const engine = findEngine(choice.name)
  if (engine.account === undefined) return null
  return getAccount(engine.account.of(selectCredentials(engine, choice, env), choice.model))
}
