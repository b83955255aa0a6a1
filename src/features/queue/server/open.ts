/** Opens a queue server as a Transport. */
import { setMaxListeners } from 'node:events'
import type { QueueAddress } from './address.ts'
import type { Backend, BullEvents, BullQueue } from './backend.ts'
import { noWaitPolicy, type WaitPolicy } from './first_contact.ts'
import { closeOrTimeOut, withOutageRetry } from './outage.ts'
import { openQueueConsumer } from './queue_consumer.ts'
import { type JobEnd, type QueueCounts, type QueueTiming, type Transport, usualTiming } from './transport.ts'

const backends = {
  redis: async (address) => (await import('./backend.ts')).redisBackend(address),
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

type Waiter = (end: JobEnd) => void

/** A job whose end is awaited. `end`: the job has ended, but the end was not fetched yet. */
interface ExpectedJob {
  /** When the job was last known to exist; null: not added yet. */
  since: number | null
  waiters: Set<Waiter>
  end: JobEnd | null
}

const pollEveryMs = 3000

class JobEndings {
  readonly #queue: BullQueue
  readonly #events: BullEvents
  readonly #expected = new Map<string, ExpectedJob>()
  readonly #timer: NodeJS.Timeout
  #isLooking = false

  /** Resolves when events arrive. */
  static async open(queue: BullQueue, events: BullEvents): Promise<JobEndings> {
    await events.waitUntilReady()
    return new JobEndings(queue, events)
  }

  private constructor(queue: BullQueue, events: BullEvents) {
    this.#queue = queue
    this.#events = events
    events.on('completed', ({ jobId, returnvalue }) => this.#end(jobId, { as: 'done', value: returnvalue }))
    events.on('failed', ({ jobId, failedReason }) => this.#end(jobId, { as: 'failed', reason: failedReason }))
    // the job may exist again at this point
    events.on('removed', ({ jobId }) => void this.#look(jobId).catch(() => {}))
    events.on('duplicated', ({ jobId }) => void this.#look(jobId).catch(() => {}))
    events.on('error', () => {}) // it reconnects by itself, and polling finds missed events
    events.run().catch(() => {})
    this.#timer = setInterval(() => void this.#lookAtAll(), pollEveryMs)
  }

  /** Call before adding a job: its end may arrive before anything waits for it. */
  expect(id: string): void {
    if (!this.#expected.has(id)) this.#expected.set(id, { since: null, waiters: new Set(), end: null })
  }

  /** The job exists: from this point, a missing job counts as gone. */
  added(id: string): void {
    const one = this.#expected.get(id)
    if (one !== undefined) one.since = performance.now()
  }

  async wait(id: string, asked: AbortSignal): Promise<JobEnd> {
    asked.throwIfAborted()
    const isNew = !this.#expected.has(id)
    this.expect(id)
    const one = this.#expected.get(id)
    if (one?.end) {
      this.#expected.delete(id)
      return one.end
    }
    if (isNew) {
      this.added(id)
      void this.#look(id).catch(() => {})
    }
    setMaxListeners(0, asked) // one listener per awaited job, each removed after its wait (AbortSignal.any would stay registered)
    return await new Promise((resolve, reject) => {
      const waiter: Waiter = (end) => {
        asked.removeEventListener('abort', leave)
        resolve(end)
      }
      const leave = () => {
        one?.waiters.delete(waiter)
        if (one?.waiters.size === 0) this.#expected.delete(id)
        reject(asked.reason)
      }
      asked.addEventListener('abort', leave, { once: true })
      one?.waiters.add(waiter)
    })
  }

  #end(id: string, end: JobEnd): void {
    const one = this.#expected.get(id)
    if (one === undefined) return
    if (one.waiters.size === 0) one.end = end
    else this.#expected.delete(id)
    for (const waiter of one.waiters) waiter(end)
  }

  async #lookAtAll(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const old = performance.now() - pollEveryMs / 2
      const ids = [...this.#expected].flatMap(([id, { since, end }]) =>
        since !== null && since < old && end === null ? [id] : [],
      )
      for (const id of ids) await this.#look(id)
    } catch {
      // the server is unavailable: the next poll tries again
    } finally {
      this.#isLooking = false
    }
  }

  async #look(id: string): Promise<void> {
    const since = this.#expected.get(id)?.since
    if (since === undefined) return
    const job = await this.#queue.getJob(id)
    if (job === undefined) {
      // a job that was added during the request may exist, although the server did not find it
      if (since !== null && this.#expected.get(id)?.since === since) this.#end(id, { as: 'gone' })
      return
    }
    if (job.finishedOn === undefined) return
    if (await job.isCompleted()) this.#end(id, { as: 'done', value: job.returnvalue })
    else if (await job.isFailed()) this.#end(id, { as: 'failed', reason: job.failedReason })
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#events.close()
  }
}
