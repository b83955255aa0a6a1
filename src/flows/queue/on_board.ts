/** What of a coordinator hangs on the board: its queue, for as long as it works; and what it reads there: whether a person has cancelled its jobs. */
import type { QueueNeeds } from '../../../schemas/queue_job.ts'
import type { Transport } from '../../jobs/queue/transport.ts'
import { beatOf } from './beat.ts'
import { drainIfAll, readNotes } from './look.ts'

export interface OnBoard extends Disposable {
  /** The mark of the last cancel of this queue that is known here; null: none. */
  readonly cancelled: string | null
  /** Whether jobs that were submitted when that was `seen` were cancelled since. */
  isCancelledSince(seen: string | null): Promise<boolean>
}

/** As often as workers say that they live. */
const lookEveryMs = 5000

/** Announces the queue, and again whenever its note is gone, until disposed of. Rejects where the server refuses that. */
export async function hangOnBoard(queue: string, needs: QueueNeeds, transport: Transport): Promise<OnBoard> {
  const state: { cancelled: string | null; error: unknown } = { cancelled: null, error: null }
  const announce = async () => {
    await transport.post({ id: queue, value: { kind: 'queue', queue, needs, at: new Date().toISOString() } })
    await drainIfAll(queue, transport)
  }
  await announce() // a server that refuses it is told before anything beats
  const beat = beatOf(async () => {
    try {
      const notes = (await readNotes(transport)).filter((note) => 'queue' in note && note.queue === queue)
      const mark = notes.flatMap((note) => (note.kind === 'cancelled' ? [note.mark] : []))
      if (!notes.some(({ kind }) => kind === 'queue')) await announce()
      state.cancelled = mark[0] ?? null
      state.error = null
    } catch (error) {
      state.error = error
    }
  }, lookEveryMs)
  await beat.soon()
  return {
    get cancelled() {
      return state.cancelled
    },
    async isCancelledSince(seen) {
      await beat.soon()
      if (state.error !== null) throw state.error
      return state.cancelled !== null && state.cancelled !== seen
    },
    [Symbol.dispose]: () => beat.stop(),
  }
}
