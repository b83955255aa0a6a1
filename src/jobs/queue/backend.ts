/** BullMQ over Redis or PostgreSQL: the same classes, made with what each server needs. Loaded when a queue is used. */
import type { Processor, Queue, QueueEvents, Worker, WorkerOptions } from 'bullmq'
import { loadPeer } from '../../base/peer.ts'
import type { Patience } from './reach.ts'

export type BullQueue = Pick<
  Queue<unknown, unknown>,
  | 'add'
  | 'getJob'
  | 'getJobs'
  | 'getGlobalConcurrency'
  | 'setGlobalConcurrency'
  | 'removeGlobalConcurrency'
  | 'isPaused'
  | 'pause'
  | 'resume'
  | 'retryJobs'
  | 'remove'
  | 'close'
  | 'waitUntilReady'
> & {
  on(event: 'error', listener: (error: Error) => void): unknown
  /** PostgreSQL counts what waits in a paused queue apart. */
  getJobCounts(...types: string[]): Promise<Record<string, number>>
}

type BullWorker = Pick<Worker<unknown, unknown>, 'pause' | 'resume' | 'close' | 'cancelJob' | 'waitUntilReady'> & {
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'lockRenewalFailed', listener: (ids: string[]) => void): unknown
  /** Its `ready` comes with each new connection, the worker's own once. */
  backend: { on(event: 'ready', listener: () => void): unknown }
}

export type BullEvents = Pick<QueueEvents, 'close' | 'waitUntilReady' | 'run'> & {
  on(event: 'completed', listener: (args: { jobId: string; returnvalue: unknown }) => void): unknown
  on(event: 'failed', listener: (args: { jobId: string; failedReason: string }) => void): unknown
  on(event: 'removed' | 'duplicated', listener: (args: { jobId: string }) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

export type BullProcessor = Processor<unknown, unknown>
type BullWorkerOptions = Omit<WorkerOptions, 'connection' | 'prefix'>

/** Makes the parts of BullMQ on one server. */
export interface Backend {
  /** The first contact; rejects as `untilReached` says. */
  check(patience: Patience): Promise<void>
  queue(name: string): BullQueue
  worker(name: string, processor: BullProcessor, options: BullWorkerOptions): BullWorker
  events(name: string): BullEvents
  /** No connection is made again: a server that is away keeps no process from its end. */
  giveUp(): void
}

/** Keys and tables of ours lie apart from those of others on the same server. */
export const prefix = 'whetstone'

type Bull = typeof import('bullmq')

/** Throws UserError where the packages are not there: they are optional. */
export async function loadBull(driver: 'ioredis' | 'pg'): Promise<Bull> {
  return await loadPeer(
    async () => {
      const bull = await import('bullmq')
      await import(driver)
      return bull
    },
    { by: '--queue', names: ['bullmq', driver] },
  )
}
