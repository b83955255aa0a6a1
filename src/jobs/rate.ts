/** How many requests an account bears at once, found by trying: AIMD with slow start. Pure: the time is given to every call. */
import type { Allowance, SlotEnd } from '../base/slot.ts'
import { Allowances } from './rate/allowance.ts'
import { type Backoff, pauseFor } from './rate/pause.ts'

export interface RateSettings extends Backoff {
  /** Slots at the start. */
  start: number
  /** Never more than this. */
  most: number
  /** What is left of the limit after a cut. */
  cut: number
  /**
   * Served requests, and rounds of as many as the limit, before more is tried than was refused before; the rounds double with
   * each try that was refused, up to the most.
   */
  probe: { served: number; rounds: number; mostRounds: number }
  /** A pause that a server asked for is followed by at least so many times its length without another try for more. */
  probePauses: number
}

const rateSettings: RateSettings = {
  start: 8,
  most: 10_000,
  cut: 0.85,
  probe: { served: 30, rounds: 3, mostRounds: 6 },
  probePauses: 20,
  baseMs: 250,
  capMs: 60_000,
  random: Math.random,
}

/** Leave for one request; `epoch`: how many cuts there had been when it was given. */
export interface Slot {
  readonly epoch: number
  /** Its number among all that were given. */
  readonly number: number
}

/** A new limit, or a pause (milliseconds from now, else 0), and why. */
export interface RateChange {
  limit: number
  pauseMs: number
  why: 'refused' | 'asked_to_wait' | 'used_up' | 'growing'
}

/** Where more than that was refused: grown back to at once, left only after a while. */
const nowhere = Number.POSITIVE_INFINITY

export class RateLimit {
  readonly #settings: RateSettings
  readonly #allowances = new Allowances()
  readonly #open = new Set<Slot>()
  #limit: number
  #epoch = 0
  #given = 0
  /** The most at once that was not refused, as far as is known; above it is unknown land. */
  #knee = nowhere
  /** Served since the limit last grew or was cut, while it was used to the full. */
  #credit = 0
  #step = 1
  #rounds: number
  #pausedUntil = Number.NEGATIVE_INFINITY
  #probeAt = Number.NEGATIVE_INFINITY
  /** Episodes of refusals since a request was served. */
  #episodes = 0

  constructor(settings: Partial<RateSettings> = {}) {
    this.#settings = { ...rateSettings, ...settings }
    this.#limit = Math.min(this.#settings.start, this.#settings.most)
    this.#rounds = this.#settings.probe.rounds
  }

  /** Requests at once, a whole number of at least 1. */
  get limit(): number {
    return Math.floor(this.#limit)
  }

  /** The limit, where a refusal has shown that there is one; null: none was met. */
  get found(): number | null {
    return this.#epoch === 0 ? null : this.limit
  }

  get inFlight(): number {
    return this.#open.size
  }

  /** Leave to start now; null: not now (`opensAt` says when time alone will help). */
  admit(now: number): Slot | null {
    if (this.inFlight >= this.limit || now < this.opensAt(now)) return null
    const slot = { epoch: this.#epoch, number: this.#given }
    this.#given += 1
    this.#allowances.start()
    this.#open.add(slot)
    return slot
  }

  /** The time when a pause ends; `now` or earlier: there is none. */
  opensAt(now: number): number {
    return Math.max(this.#pausedUntil, this.#allowances.opensAt(now))
  }

  /** What a server says is left to the account. */
  heard(slot: Slot, allowance: Allowance, now: number): RateChange | null {
    const later = [...this.#open].filter((one) => one.number > slot.number).length
    this.#allowances.heard(allowance, { later, now })
    const pauseMs = this.#allowances.opensAt(now) - now
    return pauseMs > 0 ? { limit: this.limit, pauseMs, why: 'used_up' } : null
  }

  /** The server refused the request of an open slot, which stays open (an agent that tries again by itself). */
  refused(slot: Slot, retryAfterMs: number | null, now: number): RateChange | null {
    if (!this.#open.has(slot)) return null
    const before = this.limit
    const isNew = slot.epoch === this.#epoch
    // those that were started before the cut met the old limit: they only tell better where it was
    if (isNew) this.#cut()
    else if (this.#knee !== nowhere) this.#knee = Math.max(this.#limit, Math.min(this.#knee, this.inFlight - 1))
    const pauseMs = pauseFor({ episodes: this.#episodes, isNew, retryAfterMs }, this.#settings)
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs)
    if (retryAfterMs !== null) this.#probeAt = Math.max(this.#probeAt, now + pauseMs * this.#settings.probePauses)
    if (!isNew && pauseMs === 0) return null
    if (this.limit === before && pauseMs === 0) return null
    return { limit: this.limit, pauseMs, why: retryAfterMs === null ? 'refused' : 'asked_to_wait' }
  }

  /** Ends a slot; a second end of it is nothing. */
  end(slot: Slot, how: SlotEnd, now: number): RateChange | null {
    if (!this.#open.has(slot)) return null
    const change = this.#take(slot, how, now)
    this.#open.delete(slot)
    return change
  }

  #take(slot: Slot, how: SlotEnd, now: number): RateChange | null {
    switch (how.as) {
      case 'failed':
        return null
      case 'refused':
        return this.refused(slot, how.retryAfterMs, now)
      case 'served': {
        this.#episodes = 0
        const before = this.limit
        // a limit that is not used to the full has not been tried, and what began before a cut knows nothing of it
        if (this.inFlight >= this.limit && slot.epoch === this.#epoch) this.#grow(now)
        return this.limit > before ? { limit: this.limit, pauseMs: 0, why: 'growing' } : null
      }
    }
  }

  /** The one cut of an episode: refusals of requests started before it belong to it. */
  #cut(): void {
    const { probe } = this.#settings
    this.#rounds = this.#knee === nowhere ? probe.rounds : Math.min(probe.mostRounds, this.#rounds * 2)
    const met = Math.min(this.#limit, this.inFlight)
    this.#limit = Math.max(1, met * this.#settings.cut)
    this.#knee = Math.max(this.#limit, met - 1)
    this.#epoch += 1
    this.#episodes += 1
    this.#credit = 0
    this.#step = 1
  }

  #grow(now: number): void {
    const { most } = this.#settings
    if (this.#knee === nowhere) this.#limit += 1
    else if (this.#limit < this.#knee) this.#limit = Math.min(this.#knee, this.#limit + 0.5)
    else this.#probe(now)
    this.#limit = Math.min(most, this.#limit)
  }

  /** Beyond what was refused before: one more after a while; where that is borne, more and more with each round. */
  #probe(now: number): void {
    const { served, rounds } = this.#settings.probe
    if (this.#step > 1) this.#rounds = rounds
    this.#credit += 1
    const isFirst = this.#step === 1
    const needed = isFirst ? Math.max(served, this.#rounds * this.#limit) : this.#limit
    if (this.#credit < needed || now < this.#probeAt) return
    this.#limit = Math.floor(this.#limit) + this.#step
    this.#knee = this.#limit
    this.#credit = 0
    this.#step = Math.max(2, Math.min(this.#step * 2, Math.floor(this.#limit / 2)))
  }
}
