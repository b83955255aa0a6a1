/** Registers a coordinator's queue while it works, and watches whether a person has cancelled its jobs. */
import type { QueueNeeds } from '../../../../schemas/queue_job.ts'
import type { Transport } from '../../../jobs/queue/transport.ts'
import { startIntervalTask } from '../interval_task.ts'
import { drainIfServerDrained, readQueueNotes } from '../queue_status.ts'

export interface CoordinatorPresence extends Disposable {
  /** The mark of the latest known cancel of this queue; null: none. */
  readonly cancelled: string | null
  /** Whether a person has cancelled the queue since `seen` was its mark. */
  isCancelledSince(seen: string | null): Promise<boolean>
}

/** As often as workers post their heartbeat. */
const lookEveryMs = 5000

/** Announces the queue, and again whenever its note is missing, until disposed of. Rejects if the server refuses it. */
export async function registerCoordinator(
  queue: string,
  needs: QueueNeeds,
  transport: Transport,
): Promise<CoordinatorPresence> {
  const state: { cancelled: string | null; error: unknown } = { cancelled: null, error: null }
  const announce = async () => {
    await transport.post({ id: queue, value: { kind: 'queue', queue, needs, at: new Date().toISOString() } })
    await drainIfServerDrained(queue, transport)
  }
  await announce() // reports a refusing server before the interval starts
  const beat = startIntervalTask(async () => {
    try {
      const notes = (await readQueueNotes(transport)).filter((note) => 'queue' in note && note.queue === queue)
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
