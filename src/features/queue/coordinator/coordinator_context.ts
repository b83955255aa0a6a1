/** What a coordinator knows while its benchmark's runs are in the queue. */
import type { QueueJob, QueueNeeds } from '../../../../schemas/queue_job.ts'
import type { RemoteWork } from '../../../flows/prepare/remote_execution.ts'
import type { SharedPaths } from '../files/shared_runs.ts'
import { startIntervalTask } from '../liveness.ts'
import { drainIfServerDrained, readQueueNotes } from '../queue_status.ts'
import type { QueueAddress } from '../server/address.ts'
import type { Signer } from '../server/sign.ts'
import type { Transport } from '../server/transport.ts'
import type { InputPacker } from './pack_inputs.ts'

export interface QueueWish {
  address: QueueAddress
  /** A folder that the coordinator and all workers can access. */
  shared: string
  /** Most runs in the queue at once. */
  atOnce: number
  /** Milliseconds to wait for an unreachable server at startup; 0: do not wait. */
  waitMs: number
  tags: readonly string[]
  signer: Signer | null
  /** Absent: the default. */
  limits?: LimitTiming
}

/** Timing of the notes about an account's limit, in milliseconds. */
export interface LimitTiming {
  /** Interval between unchanged notes. */
  everyMs: number
  /** After this time an unchanged note expires; several times `everyMs`. */
  staleMs: number
}

export interface RemoteRequest extends RemoteWork {
  wish: QueueWish
  prices?: QueueJob['prices']
}

export interface InProgressJob {
  id: string
  /** The attempt whose record is known here, and whether its folder was moved into the benchmark; null: none. */
  taken: { attempt: number; isMoved: boolean } | null
  /** A worker still runs it after a request to end: that worker and the next coordinator handle its files. */
  isHeld: boolean
}

export interface CoordinatorContext {
  request: RemoteRequest
  transport: Transport
  packing: InputPacker
  paths: SharedPaths
  benchmark: string
  /** Another coordinator has worked on the benchmark before. */
  isResumed: boolean
  queue: string
  registry: CoordinatorPresence
  losses: LossCounter
  /** The removal of resurrected jobs; null: the server has lost nothing. */
  clearing: Promise<unknown> | null
  /** Submitted jobs of each run, by run id. */
  out: Map<string, InProgressJob[]>
}

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

/** All jobs of one loss are noticed within one polling interval. */
const gatherMs = 4000

export interface LossCounter extends Disposable {
  add(): void
}

/** Calls `seen` at the first loss, and `tell` with the count some seconds later, or when disposed of. */
export function openLossCounter(seen: () => void, tell: (jobs: number) => void): LossCounter {
  let jobs = 0
  let timer: NodeJS.Timeout | undefined
  const say = () => {
    clearTimeout(timer)
    const count = jobs
    jobs = 0
    if (count > 0) tell(count)
  }
  return {
    add() {
      jobs += 1
      if (jobs > 1) return
      timer = setTimeout(say, gatherMs)
      seen()
    },
    [Symbol.dispose]: say,
  }
}
