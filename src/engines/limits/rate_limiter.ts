/** The rate limiter of a provider's account: senders wait for permission to send a request, and their waits are not working time. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HeldBack } from '../../../schemas/held_back.ts'
import {
  type AccountId,
  type Allowance,
  createWait,
  type SlotEnd,
  type WatchedWork,
} from '../../base/rate_limit_slot.ts'
import { activeNow } from '../../base/time/active_time.ts'
import { type RateChange, RateLimit, type RateSettings, type RateSlot } from './adaptive_limit.ts'

/** Permission for one request, or for one run of an agent that sends its own requests. */
export interface LimiterSlot {
  heard: (allowance: Allowance) => void
  /** Releases the slot; a second call does nothing. */
  end: (how: SlotEnd) => void
}

/** The rate limiter as one run or one judge sees it. */
export interface RateLimiter {
  /** false: nothing is limited here, and a refusal is a failure like any other. */
  readonly governs: boolean
  /** After this many milliseconds without a byte, a response counts as never coming. */
  readonly idleMs: number
  /** Waits for permission. `again`: the request was refused before. Rejects with the abort reason. */
  enter: (signal: AbortSignal, again?: boolean) => Promise<LimiterSlot>
  /** Waits before another try. `namedMs`: the wait that the server asked for; null: it named none. Rejects with the abort reason. */
  pause: (ms: number, signal: AbortSignal, namedMs?: number | null) => Promise<void>
  /** The work can't go on until an answer comes; `namedMs` as above. */
  block: (why: string, namedMs: number | null) => void
  answering: () => void
  /** An answer has arrived, or something was done with one. */
  progress: () => void
  /** The agent itself waits this many milliseconds for a server. */
  waits: (ms: number) => void
  /** The agent met a refusal (429) and tries again by itself. */
  refused: (retryAfterMs: number | null) => void
  /** Whether an answer was arriving until now; also true after an answer. */
  readonly isAnswering: boolean
  /** Milliseconds waited until now, and the number of refusals. */
  readonly waitedMs: number
  readonly refusals: number
}

const unwatchedWork: WatchedWork = {
  start: () => {},
  wait: () => () => {},
  block: () => {},
  unblock: () => {},
  progress: () => {},
}

/** Milliseconds without a byte, by default. */
const defaultIdleMs = 120_000

const silence = 'the provider does not answer'

/** Whether a stream that sent bytes for `activeMs` and none for the last `silentMs` goes on; a longer silence means that it has stalled. */
export function isStillStreaming({ activeMs, silentMs }: { activeMs: number; silentMs: number }): boolean {
  return silentMs < activeMs
}

/** A rate limiter for this account; null: one that limits nothing. `work`: is informed of the waits. */
export function openRateLimiter(
  account: Account | null,
  idleMs = defaultIdleMs,
  work: WatchedWork = unwatchedWork,
): RateLimiter {
  const waits = countWaits()
  const open = new Set<RateSlot>()
  let [refusals, begunAt, heardAt] = [0, 0, 0]
  const refuse = (retryAfterMs: number | null) => {
    refusals += 1
    work.block(createWait('the provider refuses requests (429)', retryAfterMs))
  }
  const take = (slot: RateSlot, at: Account): LimiterSlot => {
    open.add(slot)
    return {
      heard: (allowance) => at.heard(slot, allowance),
      end(how) {
        if (!open.delete(slot)) return
        if (how.as === 'refused') refuse(how.retryAfterMs)
        at.end(slot, how)
      },
    }
  }
  return {
    governs: account !== null,
    idleMs,
    async enter(signal, again = false) {
      signal.throwIfAborted()
      begunAt = 0
      work.start()
      if (account === null) return { heard: () => {}, end: () => {} }
      const slot = account.enter(signal, again)
      // permission given at once is not a wait, however long this process took to get here
      if (!(slot instanceof Promise)) return take(slot, account)
      const end = work.wait({ why: "the provider's limit", leftMs: () => account.namedMs() })
      try {
        return take(await waits.during(slot), account)
      } finally {
        end()
      }
    },
    async pause(ms, signal, namedMs = null) {
      work.block(createWait(silence, namedMs))
      await waits.during(sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted()))
    },
    block: (why, namedMs) => work.block(createWait(why, namedMs)),
    progress: () => work.progress(),
    waits(ms) {
      work.block(createWait(silence, null))
      waits.add(ms)
    },
    refused(retryAfterMs) {
      refuse(retryAfterMs)
      for (const slot of open) account?.refused(slot, retryAfterMs)
    },
    answering() {
      heardAt = activeNow()
      if (begunAt === 0) begunAt = heardAt
      work.unblock()
    },
    get isAnswering() {
      return begunAt > 0 && isStillStreaming({ activeMs: heardAt - begunAt, silentMs: activeNow() - heardAt })
    },
    get waitedMs() {
      return waits.total()
    },
    get refusals() {
      return refusals
    },
  }
}

/** Sums up waits; waits at the same time count once. */
function countWaits() {
  let [sum, open, since] = [0, 0, 0]
  return {
    async during<T>(wait: Promise<T>): Promise<T> {
      if (open === 0) since = activeNow()
      open += 1
      try {
        return await wait
      } finally {
        open -= 1
        if (open === 0) sum += activeNow() - since
      }
    },
    add: (ms: number) => {
      sum += ms
    },
    total: () => Math.round(sum + (open > 0 ? activeNow() - since : 0)),
  }
}

/** An agent's own retry of a request. `status` null: there was no answer. */
export interface OwnRetry {
  status: number | null
  waitMs: number
}

/** Reports a retry to the rate limiter: its wait is not working time, and a refusal lowers the account's limit. */
export function reportRetry(gate: RateLimiter | undefined, { status, waitMs }: OwnRetry): void {
  gate?.waits(waitMs)
  if (status === 429) gate?.refused(null)
}

/** The record of what a rate limiter held back; null: nothing. */
export function toHeldBack({ refusals, waitedMs }: RateLimiter): HeldBack | null {
  return refusals === 0 && waitedMs === 0 ? null : { refusals, waited_ms: waitedMs }
}

interface Waiter {
  again: boolean
  start: (slot: RateSlot) => void
}

/** Milliseconds. A longer timer would fire at once. */
const longestTimer = 2 ** 31 - 1

export class Account {
  readonly #rate: RateLimit
  readonly #now: () => number
  readonly #listeners = new Set<(change: RateChange) => void>()
  /** Refused requests come first, then the others in order of arrival. */
  readonly #waiters: Waiter[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(settings: Partial<RateSettings> = {}, now = () => performance.now()) {
    this.#rate = new RateLimit(settings)
    this.#now = now
  }

  get limit(): number {
    return this.#rate.limit
  }

  /** The limit, once a refusal has shown that there is one; null: none so far. */
  get found(): number | null {
    return this.#rate.found
  }

  get inFlight(): number {
    return this.#rate.inFlight
  }

  /** Milliseconds until the end of a pause that a server named; null: none. */
  namedMs(): number | null {
    const now = this.#now()
    const left = this.#rate.namedUntil(now) - now
    return left > 0 ? left : null
  }

  /** Reports every change of the limit and every pause until the returned function is called. */
  onChange(listener: (change: RateChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A slot, at once if possible, else a promise of it. `again`: the request was refused before. Rejects with the abort reason. */
  enter(signal: AbortSignal, again = false): RateSlot | Promise<RateSlot> {
    if (signal.aborted) return Promise.reject(signal.reason)
    const place = again ? this.#waiters.findLastIndex((one) => one.again) + 1 : this.#waiters.length
    const now = this.#now()
    const slot = place === 0 ? this.#rate.admit(now) : null
    if (slot !== null) return slot
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        this.#pump() // an unneeded timer must not keep the process alive
        reject(signal.reason)
      }
      const start = (slot: RateSlot) => {
        signal.removeEventListener('abort', leave)
        resolve(slot)
      }
      const waiter = { again, start }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiters.splice(place, 0, waiter)
      this.#pump(now)
    })
  }

  /** Ends the slot; others may start. */
  end(slot: RateSlot, how: SlotEnd): void {
    this.#report(this.#rate.end(slot, how, this.#now()))
    this.#pump()
  }

  /** A refusal that the holder of the slot met and will retry by itself. */
  refused(slot: RateSlot, retryAfterMs: number | null): void {
    this.#report(this.#rate.refused(slot, retryAfterMs, this.#now()))
  }

  heard(slot: RateSlot, allowance: Allowance): void {
    this.#report(this.#rate.heard(slot, allowance, this.#now()))
  }

  #report(change: RateChange | null): void {
    if (change !== null) for (const listener of this.#listeners) listener(change)
  }

  /** Starts all that may start at one moment, and sets a timer for the end of a pause. (A second reading could miss that end.) */
  #pump(now = this.#now()): void {
    clearTimeout(this.#timer)
    for (let [waiter] = this.#waiters; waiter !== undefined; [waiter] = this.#waiters) {
      const slot = this.#rate.admit(now)
      if (slot === null) break
      this.#waiters.shift()
      waiter.start(slot)
    }
    const ms = this.#rate.opensAt(now) - now
    if (this.#waiters.length > 0 && ms > 0) {
      this.#timer = setTimeout(() => this.#pump(), Math.min(longestTimer, Math.ceil(ms)))
    }
  }
}

const accounts = new Map<string, Account>()

/** Returns the same account for the same provider, address and credential. */
export function getAccount({ provider, baseUrl, secret, slots }: AccountId): Account {
  const place = baseUrl.replace(/\/+$/, '')
  const key = [provider, place, createHash('sha256').update(secret).digest('hex')].join('\n')
  const known = accounts.get(key) ?? new Account(slots ? { start: slots, most: slots } : {})
  accounts.set(key, known)
  return known
}
