/** The limit of one provider account, shared by all that use it: those who may not start yet wait in a line. */
import type { Allowance, SlotEnd } from '../../base/slot.ts'
import { type RateChange, RateLimit, type RateSettings, type Slot } from '../rate.ts'

interface Waiter {
  start: (slot: Slot) => void
}

/** Longer timers would ring at once. */
const longestTimer = 2 ** 31 - 1

export class Account {
  readonly #rate: RateLimit
  readonly #now: () => number
  readonly #listeners = new Set<(change: RateChange) => void>()
  /** Who was refused comes first, then the others in the order in which they came. */
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

  /** The limit, where a refusal has shown that there is one; null: none was met. */
  get found(): number | null {
    return this.#rate.found
  }

  get inFlight(): number {
    return this.#rate.inFlight
  }

  /** Tells of every change of the limit and every pause until the given function is called. */
  onChange(listener: (change: RateChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Leave to start, at once where nobody has to wait; else a promise of it. `again`: it was refused before. Rejects with the abort reason. */
  enter(signal: AbortSignal, again = false): Slot | Promise<Slot> {
    if (signal.aborted) return Promise.reject(signal.reason)
    const line = again ? this.#again : this.#line
    const now = this.#now()
    const slot = line.size + this.#again.size === 0 ? this.#rate.admit(now) : null
    if (slot !== null) return slot
    return new Promise((resolve, reject) => {
      const leave = () => {
        line.delete(waiter)
        this.#pump() // a timer that nobody needs any more must not keep the process
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
  end(slot: Slot, how: SlotEnd): void {
    this.#tell(this.#rate.end(slot, how, this.#now()))
    this.#pump()
  }

  /** A refusal that whoever holds the slot met and will try again by itself. */
  refused(slot: Slot, retryAfterMs: number | null): void {
    this.#tell(this.#rate.refused(slot, retryAfterMs, this.#now()))
  }

  heard(slot: Slot, allowance: Allowance): void {
    this.#tell(this.#rate.heard(slot, allowance, this.#now()))
  }

  #tell(change: RateChange | null): void {
    if (change !== null) for (const listener of this.#listeners) listener(change)
  }

  /** Starts whom it may at one moment (a pause that ended between two looks would ring for nobody); rings itself when a pause ends. */
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
