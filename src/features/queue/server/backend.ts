/** BullMQ over Redis or PostgreSQL: the same classes with each server's options. Loaded when a queue is used. */
import type { Processor, Queue, QueueEvents, Worker, WorkerOptions } from 'bullmq'
import { loadPeer } from '../../../base/optional_dependency.ts'
import { type QueueAddress, redisConnection } from './address.ts'
import { type Contact, type WaitPolicy, waitUntilReachable } from './first_contact.ts'

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
> & {
  on(event: 'error', listener: (error: Error) => void): unknown
  /** PostgreSQL counts waiting jobs of a paused queue separately. */
  getJobCounts(...types: string[]): Promise<Record<string, number>>
}

type BullWorker = Pick<Worker<unknown, unknown>, 'pause' | 'resume' | 'close' | 'waitUntilReady'> & {
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

export async function redisBackend(address: QueueAddress): Promise<Backend> {
  const bull = await loadBull('ioredis')
  const state = { isOver: false }
  // waits for an unavailable server as long as necessary
  const connection = {
    ...redisConnection(address),
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => (state.isOver ? null : Math.min(times * 100, 2000)),
  }
  const shared = { connection, prefix: queuePrefix }
  return {
    async check(patience) {
      const once = { ...shared, connection: { ...connection, retryStrategy: () => null } }
      const open = () => {
        const queue = new bull.Queue('check', { ...once, skipMetasUpdate: true })
        return requireAnswer(queue, async () => (await queue.backend.client).info())
      }
      await waitUntilReachable(address.place, open, patience)
    },
    queue: (name) => new bull.Queue<unknown, unknown>(name, shared),
    worker: (name, processor, options) => new bull.Worker<unknown, unknown>(name, processor, { ...options, ...shared }),
    events: (name) => new bull.QueueEvents(name, { ...shared, autorun: false }),
    giveUp() {
      state.isOver = true
    },
  }
}

/** BullMQ also reports a connection as ready that closed before any answer. */
function requireAnswer(queue: Contact, ask: () => Promise<unknown>): Contact {
  return {
    async waitUntilReady() {
      await queue.waitUntilReady()
      await ask()
    },
    close: () => queue.close(),
    on: (event, listener) => queue.on(event, listener),
  }
}
