/** Waits for the end of jobs of one queue: by the server's events and by polling, because an event may be lost. */
import { setMaxListeners } from 'node:events'
import type { BullEvents, BullQueue } from './backend.ts'
import type { JobEnd } from './transport.ts'

type Waiter = (end: JobEnd) => void

/** A job whose end is awaited. `end`: the job has ended, but the end was not fetched yet. */
interface ExpectedJob {
  /** When the job was last known to exist; null: not added yet. */
  since: number | null
  waiters: Set<Waiter>
  end: JobEnd | null
}

const pollEveryMs = 3000

export class JobEndings {
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
