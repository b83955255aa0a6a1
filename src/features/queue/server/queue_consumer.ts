/** Consumes a queue: takes jobs, keeps their locks alive, and stops work on a job whose lock it lost. */
import { setMaxListeners } from 'node:events'
import { errorMessage } from '../../../base/errors/error.ts'
import type { Backend, BullProcessor } from './backend.ts'
import { awaitOrTimeOut, closeOrTimeOut, isOutage } from './outage.ts'
import { LostJob, type QueueConsumer, type QueueTiming, ReleaseJob, type WorkOptions } from './transport.ts'

/** `WaitingError` is BullMQ's error for a job that went back to wait. */
export interface QueueConsumerRequest extends WorkOptions {
  timing: QueueTiming
  waitingError: () => Error
}

export async function openQueueConsumer(
  backend: Backend,
  name: string,
  request: QueueConsumerRequest,
): Promise<QueueConsumer> {
  const { atOnce, handle, timing, onTrouble } = request
  const stops = new Map<string, AbortController>()
  const inHand = new Map<string, Promise<unknown>>()
  const closing = new AbortController()
  setMaxListeners(0, closing.signal) // one for each released job
  const perform = async (job: Parameters<BullProcessor>[0], token: string | undefined): Promise<unknown> => {
    const id = job.id ?? ''
    const stop = new AbortController()
    const before = inHand.get(id)
    const lose = () => stop.abort(new LostJob(`the lock of job ${id} is lost`))
    using _lock = before === undefined ? null : keepLock(() => job.extendLock(token ?? '', timing.lockMs), timing, lose)
    if (before !== undefined) {
      stops.get(id)?.abort(new LostJob(`the lock of job ${id} is lost: another worker got the job`))
      await before.catch(() => {})
      stop.signal.throwIfAborted()
    }
    stops.set(id, stop)
    try {
      const end = (reason: unknown) => stop.abort(reason)
      const { data, attemptsStarted: starts, progress: noted } = job
      const note = (value: object) => job.updateProgress(value)
      return await handle({ id, data, starts, noted, note, signal: stop.signal, stop: end })
    } catch (error) {
      if (!(error instanceof ReleaseJob)) throw error
      await awaitOrTimeOut(job.moveToWait(token), { signal: closing.signal, ms: 3000 }) // otherwise its lock expires
      throw request.waitingError()
    } finally {
      if (stops.get(id) === stop) stops.delete(id)
    }
  }
  const worker = backend.worker(
    name,
    (job, token, _signal) => {
      const id = job.id ?? ''
      const work = perform(job, token)
      inHand.set(id, work)
      const end = () => void (inHand.get(id) === work && inHand.delete(id))
      work.then(end, end)
      return work
    },
    {
      concurrency: atOnce,
      lockDuration: timing.lockMs,
      stalledInterval: timing.stalledMs,
      maxStalledCount: timing.maxStalled,
      drainDelay: 1,
    },
  )
  const trouble = createQueueErrorLog(onTrouble)
  worker.on('error', trouble.hear)
  worker.backend.on('ready', trouble.back)
  worker.on('lockRenewalFailed', (ids) => {
    for (const id of ids) stops.get(id)?.abort(new LostJob(`the lock of job ${id} is lost`))
  })
  await worker.waitUntilReady()
  return {
    pause: () => void worker.pause(true),
    go: () => void worker.resume(),
    async [Symbol.asyncDispose]() {
      closing.abort()
      worker.pause(true).catch(() => {}) // the worker closes all the same
      while (inHand.size > 0) await Promise.allSettled(inHand.values())
      await closeOrTimeOut(() => worker.close(), 5000)
      endRenewing(worker)
    },
  }
}

/** BullMQ tracks one lock per id, and drops it when the first holder here ends: a job that returns to the same worker renews its own. */
function keepLock(extend: () => Promise<number>, { lockMs }: QueueTiming, lose: () => void): Disposable {
  const renew = async () => {
    if ((await extend()) === 0) lose()
  }
  const timer = setInterval(() => void renew().catch(() => {}), lockMs / 3) // the next one tries again
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** BullMQ's `close` does not stop its timer while the server is unavailable, and the timer would keep the process alive. */
function endRenewing(worker: object): void {
  const renewing = 'lockManager' in worker ? worker.lockManager : null
  if (typeof renewing !== 'object' || renewing === null || !('close' in renewing)) return
  if (typeof renewing.close === 'function') void renewing.close()
}

/** Errors of BullMQ about jobs, and their meaning for the user of a worker. */
const words: readonly { fits: RegExp; said: string }[] = [
  {
    fits: /^could not renew lock for job/,
    said: 'the lock of a job was lost: another worker runs it now or will run it, so its result from here is refused',
  },
  {
    fits: /^(Missing lock|Lock mismatch) for job/,
    said: 'a late result was refused: the lock of its job was lost, so another worker runs it now or will run it',
  },
  {
    fits: /^Missing key for job/,
    said: 'a late result was refused: its job was removed, or the server lost it',
  },
]

const awayText = 'the queue server does not answer'
const repeatAfterMs = 30_000

interface QueueErrorLog {
  hear(error: Error): void
  /** The connection is up (again). */
  back(): void
}

/** Reports the same error again after half a minute at the earliest; every error of an unavailable server counts as the same. */
export function createQueueErrorLog(tell: (message: string) => void): QueueErrorLog {
  const told = new Map<string, number>()
  return {
    hear(error) {
      const message = errorMessage(error)
      const isAway = isOutage(error)
      const said = isAway ? awayText : (words.find(({ fits }) => fits.test(message))?.said ?? message)
      const now = performance.now()
      if (now - (told.get(said) ?? -repeatAfterMs) < repeatAfterMs) return
      told.set(said, now)
      tell(isAway ? `${awayText}: ${message}` : said)
    },
    back() {
      if (told.delete(awayText)) tell('the queue server answers again')
    },
  }
}
