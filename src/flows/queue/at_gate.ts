/** The coordinator's gate: as many jobs of an account are out as it bears, found by what all workers met. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { SlotEnd } from '../../base/slot.ts'
import { credentialsOf } from '../../engines/base_url.ts'
import { engineNamed } from '../../engines/table.ts'
import type { Account } from '../../jobs/rate/account.ts'
import { accountOf } from '../../jobs/rate/accounts.ts'
import type { RunRequest, RunResult } from '../../phases/2-run/run.ts'

/** A job that any worker was refused on counts as a refusal, one that went well as served. Rejects with the abort reason. */
export async function atGate(run: RunRequest, work: () => Promise<RunResult>): Promise<RunResult> {
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

/** The account of this process that runs of such an engine count against; null: they count against none. */
export function accountFor(choice: EngineChoice, env: Readonly<Record<string, string | undefined>>): Account | null {
  const engine = engineNamed(choice.name)
  return engine.account === undefined ? null : accountOf(engine.account.of(credentialsOf(engine, choice, env)))
}
