/** Who waits for the end of jobs of one queue: told by the server's events, and by looking, since an event may be lost. */
import { setMaxListeners } from 'node:events'
import type { BullEvents, BullQueue } from './backend.ts'
import type { JobEnd } from './transport.ts'

type Waiter = (end: JobEnd) => void

/** One job of which somebody wants to know the end. `end`: it has come, and nobody has asked for it yet. */
interface Expected {
  /** When it was last known to be there; null: it is on its way. */
  since: number | null
  waiters: Set<Waiter>
  end: JobEnd | null
}

const lookEveryMs = 3000

export class Endings {
  readonly #queue: BullQueue
  readonly #events: BullEvents
  readonly #expected = new Map<string, Expected>()
  readonly #timer: NodeJS.Timeout
  #isLooking = false

  /** The events have begun to come. */
  static async open(queue: BullQueue, events: BullEvents): Promise<Endings> {
    await events.waitUntilReady()
    return new Endings(queue, events)
  }

  private constructor(queue: BullQueue, events: BullEvents) {
    this.#queue = queue
    this.#events = events
    events.on('completed', ({ jobId, returnvalue }) => this.#end(jobId, { as: 'done', value: returnvalue }))
    events.on('failed', ({ jobId, failedReason }) => this.#end(jobId, { as: 'failed', reason: failedReason }))
    // it may be there again by now
    events.on('removed', ({ jobId }) => void this.#look(jobId).catch(() => {}))
    events.on('duplicated', ({ jobId }) => void this.#look(jobId).catch(() => {}))
    events.on('error', () => {}) // it connects again by itself, and what is missed meanwhile is looked for
    events.run().catch(() => {})
    this.#timer = setInterval(() => void this.#lookAtAll(), lookEveryMs)
  }

  /** Its end may come from now on, before anybody waits for it. */
  expect(id: string): void {
    if (!this.#expected.has(id)) this.#expected.set(id, { since: null, waiters: new Set(), end: null })
  }

  /** It is there: from now on it is gone where nobody knows it. */
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
    setMaxListeners(0, asked) // as many as jobs are waited for, and each goes with its wait (AbortSignal.any would stay known to it)
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
      const old = performance.now() - lookEveryMs / 2
      const ids = [...this.#expected].flatMap(([id, { since, end }]) =>
        since !== null && since < old && end === null ? [id] : [],
      )
      for (const id of ids) await this.#look(id)
    } catch {
      // the server is away: the next look finds out
    } finally {
      this.#isLooking = false
    }
  }

  async #look(id: string): Promise<void> {
    const since = this.#expected.get(id)?.since
    if (since === undefined) return
    const job = await this.#queue.getJob(id)
    if (job === undefined) {
      // one that was added meanwhile may be there, though it was not when it was looked for
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
