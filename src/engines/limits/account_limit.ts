/** The rate limit of one provider account, shared by all its users in this process: requests that may not start yet queue up. */
import { createHash } from 'node:crypto'
import type { AccountId, Allowance, SlotEnd } from '../../base/rate_limit_slot.ts'
import { type RateChange, RateLimit, type RateSettings, type RateSlot } from './adaptive_limit.ts'

interface Waiter {
  /** It was refused before. */
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
export function getAccount({ provider, baseUrl, secret }: AccountId): Account {
  const place = baseUrl.replace(/\/+$/, '')
  const key = [provider, place, createHash('sha256').update(secret).digest('hex')].join('\n')
  const known = accounts.get(key) ?? new Account()
  accounts.set(key, known)
  return known
}
