/** The limit of an account on its queues: the least of what its living coordinators have found. */
import type { QueueNote } from '../../../schemas/queue_job.ts'
import type { Transport } from '../../jobs/queue/transport.ts'
import type { Account } from '../../jobs/rate/account.ts'
import { beatOf } from './beat.ts'
import { KeptLimits, limitNoteId, usualStaleMs } from './kept_up.ts'
import { readNotes } from './look.ts'

/** In milliseconds. */
export interface LimitTiming {
  /** Between two notes that say the same. */
  everyMs: number
  /** After which a note that stays as it was counts no more; several times the above. */
  staleMs: number
}

const usual: LimitTiming = { everyMs: 5000, staleMs: usualStaleMs }

interface Sharing {
  transport: Transport
  queue: string
  /** Hashed; null: nobody knows, and the limit is of this queue alone. */
  account: string | null
  benchmark: string
}

/**
 * Says what is found of the account, and sets its queues to the least of all that is said: at once, with each change, in a rhythm,
 * and at the end, without ours. A coordinator that was never refused says nothing: where it began is no limit. `close` never rejects.
 */
export async function shareLimit(
  own: Account | null,
  { transport, queue, account, benchmark }: Sharing,
  { everyMs, staleMs }: LimitTiming = usual,
): Promise<{ close(): Promise<void> }> {
  if (own === null) return { close: async () => {} }
  const keptUp = new KeptLimits(staleMs)
  const id = limitNoteId(benchmark)
  const whose = account ?? queue
  let isOver = false
  const beat = beatOf(async () => {
    const limit = isOver ? null : own.found
    const at = new Date().toISOString()
    if (limit === null)
      await transport.takeDown(id) // also what a killed one left that was at this benchmark
    else await transport.post({ id, value: { kind: 'limit', benchmark, account: whose, limit, at } })
    const notes = await readNotes(transport)
    const { kept, silent } = keptUp.look(notes)
    for (const note of silent) await transport.takeDown(limitNoteId(note.benchmark))
    const limits = kept.flatMap((note) => (note.account === whose ? [note.limit] : []))
    const least = limits.length === 0 ? null : Math.min(...limits)
    for (const one of new Set([queue, ...queuesOf(whose, notes)])) await transport.limit(one, least)
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

/** Other engines and tags have queues of their own. */
function queuesOf(account: string, notes: readonly QueueNote[]): string[] {
  return notes.flatMap((note) => (note.kind === 'queue' && note.needs.account === account ? [note.queue] : []))
}
