/** BullMQ over Redis or PostgreSQL: the same classes with each server's options. Loaded when a queue is used. */
import type { Processor, Queue, QueueEvents, Worker, WorkerOptions } from 'bullmq'
import { loadPeer } from '../../base/optional_dependency.ts'
import type { WaitPolicy } from './connection/first_contact.ts'

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
  /** PostgreSQL counts waiting jobs of a paused queue separately. */
  getJobCounts(...types: string[]): Promise<Record<string, number>>
}

type BullWorker = Pick<Worker<unknown, unknown>, 'pause' | 'resume' | 'close' | 'cancelJob' | 'waitUntilReady'> & {
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'lockRenewalFailed', listener: (ids: string[]) => void): unknown
  /** Emits `ready` for each new connection; the worker itself emits it only once. */
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

/** Creates the parts of BullMQ on one server. */
export interface Backend {
  /** The first contact; rejects as waitUntilReachable does. */
  check(patience: WaitPolicy): Promise<void>
  queue(name: string): BullQueue
  worker(name: string, processor: BullProcessor, options: BullWorkerOptions): BullWorker
  events(name: string): BullEvents
  /** Stops reconnecting, so that an unavailable server does not keep the process alive. */
  giveUp(): void
}

/** Separates Whetstone's keys and tables from others on the same server. */
export const queuePrefix = 'whetstone'

type Bull = typeof import('bullmq')

/** Throws UserError when the optional packages are missing. */
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
