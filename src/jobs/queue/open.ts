/** Opens a queue server as a Transport. */
import type { QueueAddress } from './address.ts'
import type { Backend, BullQueue } from './backend.ts'
import { closeOrTimeOut } from './connection/close_connection.ts'
import { noWaitPolicy, type WaitPolicy } from './connection/first_contact.ts'
import { withOutageRetry } from './connection/outage.ts'
import { JobEndings } from './job_endings.ts'
import { openQueueConsumer } from './queue_consumer.ts'
import { type QueueCounts, type QueueTiming, type Transport, usualTiming } from './transport.ts'

const backends = {
  redis: async (address) => (await import('./redis.ts')).redisBackend(address),
  postgres: async (address) => (await import('./postgres.ts')).postgresBackend(address),
} satisfies Record<QueueAddress['kind'], (address: QueueAddress) => Promise<Backend>>

/** Names of queues contain no colon. */
const registryQueue = 'board'

/** Throws UserError when the server refuses the connection or packages are missing, IncompleteError when it does not answer. */
export async function openTransport(
  address: QueueAddress,
  timing: QueueTiming = usualTiming,
  patience: WaitPolicy = noWaitPolicy,
): Promise<Transport> {
  const backend = await backends[address.kind](address)
  await backend.check(patience)
  const { WaitingError } = await import('bullmq')
  const queues = new Map<string, BullQueue>()
  const endings = new Map<string, Promise<JobEndings>>()
  const queueOf = (name: string): BullQueue => {
    const queue = queues.get(name) ?? backend.queue(name)
    if (!queues.has(name)) queue.on('error', () => {}) // it reconnects by itself
    queues.set(name, queue)
    return queue
  }
  const endingsOf = (name: string): Promise<JobEndings> => {
    const one = endings.get(name) ?? JobEndings.open(queueOf(name), backend.events(name))
    endings.set(name, one)
    return one
  }
  const state = { isOver: false }
  const transport: Transport = {
    place: address.place,
    async submit(queue, { id, data }) {
      const known = await endingsOf(queue)
      known.expect(id) // before it exists, so that its end is not missed
      await queueOf(queue).add('run', data, { jobId: id, stackTraceLimit: 1 })
      known.added(id)
    },
    async wait(queue, id, signal) {
      return await (await endingsOf(queue)).wait(id, signal)
    },
    work: (queue, options) =>
      openQueueConsumer(backend, queue, { ...options, timing, waitingError: () => new WaitingError() }),
    counts: (queue) => readCounts(queueOf(queue)),
    drain: (queue, isDrained) => (isDrained ? queueOf(queue).pause() : queueOf(queue).resume()),
    remove: (queue, ids) => removeJobs(queueOf(queue), ids),
    async retry(queue) {
      const { failed = 0 } = await queueOf(queue).getJobCounts('failed')
      await queueOf(queue).retryJobs({ state: 'failed' })
      return failed
    },
    open: (queue, isMeant = () => true) => listOpenJobs(queueOf(queue), isMeant),
    async ended(queue) {
      const jobs = await queueOf(queue).getJobs(['completed', 'failed'], 0, 9999)
      return jobs.flatMap((job) => (job?.id === undefined ? [] : [{ id: job.id, data: job.data }]))
    },
    async limit(queue, atOnce) {
      if (atOnce === null) await queueOf(queue).removeGlobalConcurrency()
      else await queueOf(queue).setGlobalConcurrency(atOnce)
    },
    async post({ id, value }) {
      const known = await queueOf(registryQueue).getJob(id)
      if (known === undefined) await queueOf(registryQueue).add('note', value, { jobId: id })
      else await known.updateData(value)
    },
    async notes() {
      const jobs = await queueOf(registryQueue).getJobs(['waiting'], 0, 9999)
      return jobs.flatMap((job) => (job?.id === undefined ? [] : [{ id: job.id, value: job.data }]))
    },
    async takeDown(id) {
      await queueOf(registryQueue).remove(id)
    },
    async [Symbol.asyncDispose]() {
      state.isOver = true
      const closing = [
        ...[...endings.values()].map((one) => async () => (await one).close()),
        ...[...queues.values()].map((queue) => () => queue.close()),
      ]
      await Promise.all(closing.map((close) => closeOrTimeOut(close, 2000)))
      backend.giveUp()
    },
  }
  return withOutageRetry(transport, () => state.isOver)
}

async function readCounts(queue: BullQueue): Promise<QueueCounts> {
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

const pageSize = 10_000

/** Lists waiting jobs first, newest first: a job taken during the listing is found as active, and moves no job to a page already read. */
async function listOpenJobs(queue: BullQueue, isMeant: (data: unknown) => boolean): Promise<string[]> {
  const ids = new Set<string>()
  for (const state of ['delayed', 'waiting', 'active'] as const) {
    for (let from = 0; ; from += pageSize) {
      const jobs = await queue.getJobs([state], from, from + pageSize - 1)
      for (const job of jobs) if (job?.id !== undefined && isMeant(job.data)) ids.add(job.id)
      if (jobs.length === 0) break
    }
  }
  return [...ids]
}

/** A locked job stays: its id is in the result. */
async function removeJobs(queue: BullQueue, ids: readonly string[]): Promise<string[]> {
  const gone = await Promise.all(ids.map((id) => queue.remove(id)))
  const left: string[] = []
  for (const [at, id] of ids.entries()) {
    if (gone[at] === 0 && (await queue.getJob(id)) !== undefined) left.push(id)
  }
  return left
}
