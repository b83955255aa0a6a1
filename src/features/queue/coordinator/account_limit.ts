/** Limits the jobs of an account in progress to what it sustains, and shares that limit: the lowest that its live coordinators have found. */
import type { EngineChoice } from '../../../../schemas/plan.ts'
import type { QueueNote } from '../../../../schemas/queue_job.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import type { SlotEnd } from '../../../base/rate_limit_slot.ts'
import { workInSlot } from '../../../engines/limits/execute_within_limits.ts'
import { type Account, getAccount } from '../../../engines/limits/rate_limiter.ts'
import { selectCredentials } from '../../../engines/models/base_url.ts'
import { findEngine } from '../../../engines/table.ts'
import type { RunResult } from '../../../phases/2-run/run.ts'
import type { RunRequest } from '../../../phases/2-run/run_request.ts'
import { type LimitNote, LiveNotes, limitNoteId, startIntervalTask, usualStaleMs } from '../liveness.ts'
import { readQueueNotes } from '../queue_status.ts'
import type { Transport } from '../server/transport.ts'
import type { LimitTiming } from './coordinator_context.ts'

const usualLimitTiming: LimitTiming = { everyMs: 5000, staleMs: usualStaleMs }

interface LimitSharing {
  transport: Transport
  queue: string
  /** Hashed; null: not known, and the limit applies to this queue alone. */
  account: string | null
  benchmark: string
}

/**
 * Posts the account's limit, and sets its queues to the lowest posted: at once, on each change, periodically, and at the end without this
 * one's. A coordinator without a refusal posts nothing: its initial value is not a limit. `close` never rejects.
 */
export async function shareLimit(
  own: Account | null,
  { transport, queue, account, benchmark }: LimitSharing,
  { everyMs, staleMs }: LimitTiming = usualLimitTiming,
): Promise<{ close(): Promise<void> }> {
  if (own === null) return { close: async () => {} }
  const keptUp = new LiveNotes<LimitNote>('limit', staleMs)
  const id = limitNoteId(benchmark)
  const whose = account ?? queue
  let isOver = false
  const beat = startIntervalTask(async () => {
    const limit = isOver ? null : own.found
    const at = new Date().toISOString()
    if (limit === null)
      await transport.takeDown(id) // also removes the note of a killed coordinator of this benchmark
    else await transport.post({ id, value: { kind: 'limit', benchmark, account: whose, limit, at } })
    const notes = await readQueueNotes(transport)
    const { kept, silent } = keptUp.look(notes)
    for (const note of silent) await transport.takeDown(limitNoteId(note.benchmark))
    const limits = kept.flatMap((note) => (note.account === whose ? [note.limit] : []))
    const least = limits.length === 0 ? null : Math.min(...limits)
    for (const one of new Set([queue, ...listAccountQueues(whose, notes)])) await transport.limit(one, least)
  }, everyMs)
  const leave = own.onChange(() => void (own.found !== null && beat.soon()))
  await beat.soon()
  return {
    async close() {
      isOver = true
      leave()
      beat.stop()
      await beat.soon()
    },
  }
}

/** Different engines and tags have separate queues. */
function listAccountQueues(account: string, notes: readonly QueueNote[]): string[] {
  return notes.flatMap((note) => (note.kind === 'queue' && note.needs.account === account ? [note.queue] : []))
}

/** A job that met a refusal on any worker counts as refused, a successful one as served. Rejects with the abort reason. */
export async function runWithinLimit(run: RunRequest, work: () => Promise<RunResult>): Promise<RunResult> {
  const { gate, signal } = run
  if (gate === undefined || !gate.governs) return await work()
  return await workInSlot({ gate, signal, again: run.attempt > 1 }, work, slotEnd)
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
