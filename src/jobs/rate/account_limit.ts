/** The rate limiter of one provider account, shared by all its users: requests that may not start yet queue up. */
import type { Allowance, SlotEnd } from '../../base/rate_limit_slot.ts'
import { type RateChange, RateLimit, type RateSettings, type RateSlot } from './adaptive_limit.ts'

interface Waiter {
  start: (slot: RateSlot) => void
}

/** Milliseconds. A longer timer would fire at once. */
const longestTimer = 2 ** 31 - 1

export class Account {
  readonly #rate: RateLimit
  readonly #now: () => number
  readonly #listeners = new Set<(change: RateChange) => void>()
  /** Refused requests come first, then the others in order of arrival. */
  readonly #again = new Set<Waiter>()
  readonly #line = new Set<Waiter>()
  #timer: NodeJS.Timeout | null = null

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
    const line = again ? this.#again : this.#line
    const now = this.#now()
    const slot = line.size + this.#again.size === 0 ? this.#rate.admit(now) : null
    if (slot !== null) return slot
    return new Promise((resolve, reject) => {
      const leave = () => {
        line.delete(waiter)
        this.#pump() // an unneeded timer must not keep the process alive
        reject(signal.reason)
      }
      const waiter: Waiter = {
        start: (slot) => {
          signal.removeEventListener('abort', leave)
          resolve(slot)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      line.add(waiter)
      this.#pump(now)
    })
  }

  /** Ends the slot; others may start. */
  end(slot: RateSlot, how: SlotEnd): void {
    this.#tell(this.#rate.end(slot, how, this.#now()))
    this.#pump()
  }

  /** A refusal that the holder of the slot met and will retry by itself. */
  refused(slot: RateSlot, retryAfterMs: number | null): void {
    this.#tell(this.#rate.refused(slot, retryAfterMs, this.#now()))
  }

  heard(slot: RateSlot, allowance: Allowance): void {
    this.#tell(this.#rate.heard(slot, allowance, this.#now()))
  }

  #tell(change: RateChange | null): void {
    if (change !== null) for (const listener of this.#listeners) listener(change)
  }

  /** Starts all that may start at one moment, and sets a timer for the end of a pause. (A second reading could miss that end.) */
  #pump(now = this.#now()): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    for (const line of [this.#again, this.#line]) {
      for (const waiter of line) {
        const slot = this.#rate.admit(now)
        if (slot === null) {
          this.#ring(now)
          return
        }
        line.delete(waiter)
        waiter.start(slot)
      }
    }
  }

  #ring(now: number): void {
    const ms = this.#rate.opensAt(now) - now
    if (ms > 0) this.#timer = setTimeout(() => this.#pump(), Math.min(longestTimer, Math.ceil(ms)))
  }
}
