/** A queue server as a Transport. */

import type { QueueAddress } from './address.ts'
import type { Backend, BullQueue } from './backend.ts'
import { closeWithin } from './close.ts'
import { Endings } from './endings.ts'
import { holdQueue } from './hold.ts'
import { outlasting } from './outage.ts'
import { impatient, type Patience } from './reach.ts'
import { type QueueCounts, type QueueTiming, type Transport, usualTiming } from './transport.ts'

const backends = {
  redis: async (address) => (await import('./redis.ts')).redisBackend(address),
  postgres: async (address) => (await import('./postgres.ts')).postgresBackend(address),
} satisfies Record<QueueAddress['kind'], (address: QueueAddress) => Promise<Backend>>

/** Names of queues hold no colon. */
const board = 'board'

/** Throws UserError for a server that refuses us and packages that are not there, IncompleteError for one that is away. */
export async function openTransport(
  address: QueueAddress,
  timing: QueueTiming = usualTiming,
  patience: Patience = impatient,
): Promise<Transport> {
  const backend = await backends[address.kind](address)
  await backend.check(patience)
  const { WaitingError } = await import('bullmq')
  const queues = new Map<string, BullQueue>()
  const endings = new Map<string, Promise<Endings>>()
  const queueOf = (name: string): BullQueue => {
    const queue = queues.get(name) ?? backend.queue(name)
    if (!queues.has(name)) queue.on('error', () => {}) // it connects again by itself
    queues.set(name, queue)
    return queue
  }
  const endingsOf = (name: string): Promise<Endings> => {
    const one = endings.get(name) ?? Endings.open(queueOf(name), backend.events(name))
    endings.set(name, one)
    return one
  }
  const state = { isOver: false }
  const transport: Transport = {
    place: address.place,
    async submit(queue, { id, data }) {
      const known = await endingsOf(queue)
      known.expect(id) // before it is there: its end is not to be missed
      await queueOf(queue).add('run', data, { jobId: id, stackTraceLimit: 1 })
      known.added(id)
    },
    async wait(queue, id, signal) {
      return await (await endingsOf(queue)).wait(id, signal)
    },
    work: (queue, options) => holdQueue(backend, queue, { ...options, timing, waitingError: () => new WaitingError() }),
    counts: (queue) => countsOf(queueOf(queue)),
    drain: (queue, isDrained) => (isDrained ? queueOf(queue).pause() : queueOf(queue).resume()),
    remove: (queue, ids) => removeFrom(queueOf(queue), ids),
    async retry(queue) {
      const { failed = 0 } = await queueOf(queue).getJobCounts('failed')
      await queueOf(queue).retryJobs({ state: 'failed' })
      return failed
    },
    open: (queue, isMeant = () => true) => openIn(queueOf(queue), isMeant),
    async ended(queue) {
      const jobs = await queueOf(queue).getJobs(['completed', 'failed'], 0, 9999)
      return jobs.flatMap((job) => (job?.id === undefined ? [] : [{ id: job.id, data: job.data }]))
    },
    async limit(queue, atOnce) {
      if (atOnce === null) await queueOf(queue).removeGlobalConcurrency()
      else await queueOf(queue).setGlobalConcurrency(atOnce)
    },
    async post({ id, value }) {
      const known = await queueOf(board).getJob(id)
      if (known === undefined) await queueOf(board).add('note', value, { jobId: id })
      else await known.updateData(value)
    },
    async notes() {
      const jobs = await queueOf(board).getJobs(['waiting'], 0, 9999)
      return jobs.flatMap((job) => (job?.id === undefined ? [] : [{ id: job.id, value: job.data }]))
    },
    async takeDown(id) {
      await queueOf(board).remove(id)
    },
    async [Symbol.asyncDispose]() {
      state.isOver = true
      const closing = [
        ...[...endings.values()].map((one) => async () => (await one).close()),
        ...[...queues.values()].map((queue) => () => queue.close()),
      ]
      await Promise.all(closing.map((close) => closeWithin(close, 2000)))
      backend.giveUp()
    },
  }
  return outlasting(transport, () => state.isOver)
}

async function countsOf(queue: BullQueue): Promise<QueueCounts> {
  const counts = await queue.getJobCounts('waiting', 'paused', 'delayed', 'active', 'completed', 'failed')
  const { waiting = 0, paused = 0, delayed = 0, active = 0, completed = 0, failed = 0 } = counts
  return {
    waiting: waiting + paused + delayed,
    active,
    done: completed,
    failed,
    isDrained: await queue.isPaused(),
    limit: (await queue.getGlobalConcurrency()) ?? null,
  }
}

const pageOf = 10_000

/** What waits is listed first, the newest first: what is taken meanwhile is found in hand, and moves nothing to a page that was read. */
async function openIn(queue: BullQueue, isMeant: (data: unknown) => boolean): Promise<string[]> {
  const ids = new Set<string>()
  for (const state of ['delayed', 'waiting', 'active'] as const) {
    for (let from = 0; ; from += pageOf) {
      const jobs = await queue.getJobs([state], from, from + pageOf - 1)
      for (const job of jobs) if (job?.id !== undefined && isMeant(job.data)) ids.add(job.id)
      if (jobs.length === 0) break
    }
  }
  return [...ids]
}

/** A job that is locked stays: its id is given back. */
async function removeFrom(queue: BullQueue, ids: readonly string[]): Promise<string[]> {
  const gone = await Promise.all(ids.map((id) => queue.remove(id)))
  const left: string[] = []
  for (const [at, id] of ids.entries()) {
    if (gone[at] === 0 && (await queue.getJob(id)) !== undefined) left.push(id)
  }
  return left
}
