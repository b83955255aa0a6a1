/** A worker's hold on a queue: takes jobs, keeps their locks alive, and ends what it does for a job whose lock it lost. */
import { messageOf } from '../../base/error.ts'
import type { Backend, BullProcessor } from './backend.ts'
import { closeWithin } from './close.ts'
import { GiveBack, LostJob, type QueueTiming, type Working, type WorkOptions } from './transport.ts'

/** `WaitingError` is BullMQ's own word for a job that went back to wait. */
export interface HoldRequest extends WorkOptions {
  timing: QueueTiming
  waitingError: () => Error
}

export async function holdQueue(backend: Backend, name: string, request: HoldRequest): Promise<Working> {
  const { atOnce, handle, timing, onTrouble } = request
  const stops = new Map<string, AbortController>()
  const inHand = new Set<Promise<unknown>>()
  const perform = async (job: Parameters<BullProcessor>[0], token: string | undefined): Promise<unknown> => {
    const id = job.id ?? ''
    const stop = new AbortController()
    stops.set(id, stop)
    try {
      const end = (reason: unknown) => stop.abort(reason)
      const { data, attemptsStarted: starts, progress: noted } = job
      const note = (value: object) => job.updateProgress(value)
      return await handle({ id, data, starts, noted, note, signal: stop.signal, stop: end })
    } catch (error) {
      if (!(error instanceof GiveBack)) throw error
      await job.moveToWait(token)
      throw request.waitingError()
    } finally {
      if (stops.get(id) === stop) stops.delete(id)
    }
  }
  const worker = backend.worker(
    name,
    (job, token, _signal) => {
      const work = perform(job, token)
      inHand.add(work)
      const end = () => void inHand.delete(work)
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
  worker.on('error', (error) => onTrouble(messageOf(error)))
  worker.on('lockRenewalFailed', (ids) => {
    for (const id of ids) stops.get(id)?.abort(new LostJob(`the lock of job ${id} is lost`))
  })
  await worker.waitUntilReady()
  return {
    pause: () => void worker.pause(true),
    go: () => void worker.resume(),
    stop(id, reason) {
      stops.get(id)?.abort(reason)
      return stops.has(id)
    },
    async [Symbol.asyncDispose]() {
      await worker.pause(true)
      while (inHand.size > 0) await Promise.allSettled(inHand)
      await closeWithin(() => worker.close(), 5000)
      await closeWithin(() => worker.close(true), 1000)
    },
  }
}
