/** Finds how many concurrent requests an account sustains, by trying: AIMD with slow start. Pure: every call gets the time. */
import type { Allowance, SlotEnd } from '../../base/rate_limit_slot.ts'
import { type PauseBackoff, pauseAfterRefusal } from './refusal_pause.ts'

/** Share of a token quota that must be available before another request is worth a try. */
const tokenShare = 0.1

class Allowances {
  #left = Number.POSITIVE_INFINITY
  #renewedAt = Number.NEGATIVE_INFINITY
  #opensAt = Number.NEGATIVE_INFINITY

  /** A request has started. */
  start(): void {
    this.#left -= 1
  }

  /** The time from which a request may start; `now` or earlier: at once. */
  opensAt(now: number): number {
    const counted = this.#left < 1 && now < this.#renewedAt ? this.#renewedAt : now
    return Math.max(this.#opensAt, counted)
  }

  /** `later`: requests in progress that the server had not counted when it answered. */
  heard({ requests, tokens }: Allowance, { later, now }: { later: number; now: number }): void {
    if (requests !== null) {
      this.#left = requests.remaining - later
      // a quota fills steadily: its first request is available after a part of the whole time
      this.#renewedAt = now + requests.resetMs / Math.max(1, (requests.limit ?? 1) - Math.max(0, requests.remaining))
    }
    for (const { remaining, limit, resetMs } of tokens) {
      if (remaining > 0) continue
      this.#opensAt = Math.max(this.#opensAt, now + (limit === null ? resetMs : resetMs * tokenShare))
    }
  }
}

export interface RateSettings extends PauseBackoff {
  /** Slots at the start. */
  start: number
  /** Maximum of the limit. */
  most: number
  /** Share of the limit that remains after a cut. */
  cut: number
  /**
   * Served requests, and rounds of as many as the limit, before it tries more than was refused before. The rounds double with
   * each refused try, up to `mostRounds`.
   */
  probe: { served: number; rounds: number; mostRounds: number }
  /** After a pause that a server asked for, at least this many times its length passes without another try for more. */
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

/** Permission for one request; `epoch`: number of cuts when it was granted. */
export interface RateSlot {
  readonly epoch: number
  /** Its number among all granted slots. */
  readonly number: number
}

/** A new limit, or a pause (milliseconds from the call, else 0), and the reason. */
export interface RateChange {
  limit: number
  pauseMs: number
  why: 'refused' | 'asked_to_wait' | 'used_up' | 'growing'
}

/** No refusal so far: the limit may grow freely. */
const noCeiling = Number.POSITIVE_INFINITY

export class RateLimit {
  readonly #settings: RateSettings
  readonly #allowances = new Allowances()
  readonly #open = new Set<RateSlot>()
  #limit: number
  #epoch = 0
  #given = 0
  /** The highest concurrency that was not refused, as far as is known; beyond it, refusals are likely. */
  #knee = noCeiling
  /** Requests served since the limit last changed, while it was fully used. */
  #credit = 0
  #step = 1
  #rounds: number
  #pausedUntil = Number.NEGATIVE_INFINITY
  /** The end of the last pause that a server asked for. */
  #namedUntil = Number.NEGATIVE_INFINITY
  #probeAt = Number.NEGATIVE_INFINITY
  /** Episodes of refusals since a request was served. */
  #episodes = 0

  constructor(settings: Partial<RateSettings> = {}) {
    this.#settings = { ...rateSettings, ...settings }
    this.#limit = Math.min(this.#settings.start, this.#settings.most)
    this.#rounds = this.#settings.probe.rounds
  }

  /** Concurrent requests, a whole number of at least 1. */
  get limit(): number {
    return Math.floor(this.#limit)
  }

  /** The limit, once a refusal has shown that there is one; null: none so far. */
  get found(): number | null {
    return this.#epoch === 0 ? null : this.limit
  }

  get inFlight(): number {
    return this.#open.size
  }

  /** Permission to start at once; null: denied (`opensAt` says when time alone will help). */
  admit(now: number): RateSlot | null {
    if (this.inFlight >= this.limit || now < this.opensAt(now)) return null
    const slot = { epoch: this.#epoch, number: this.#given }
    this.#given += 1
    this.#allowances.start()
    this.#open.add(slot)
    return slot
  }

  /** The end of a pause; `now` or earlier: none. */
  opensAt(now: number): number {
    return Math.max(this.#pausedUntil, this.#allowances.opensAt(now))
  }

  /** The end of a pause that a server named; `now` or earlier: none. */
  namedUntil(now: number): number {
    return Math.max(this.#namedUntil, this.#allowances.opensAt(now))
  }

  /** Takes in the rest of the quotas that a server reports. */
  heard(slot: RateSlot, allowance: Allowance, now: number): RateChange | null {
    const later = [...this.#open].filter((one) => one.number > slot.number).length
    this.#allowances.heard(allowance, { later, now })
    const pauseMs = this.#allowances.opensAt(now) - now
    return pauseMs > 0 ? { limit: this.limit, pauseMs, why: 'used_up' } : null
  }

  /** The server refused the request of an open slot, which stays open (an agent that retries by itself). */
  refused(slot: RateSlot, retryAfterMs: number | null, now: number): RateChange | null {
    if (!this.#open.has(slot)) return null
    const before = this.limit
    const isNew = slot.epoch === this.#epoch
    // requests from before the cut met the old limit: they only show more exactly where it was
    if (isNew) this.#cut()
    else if (this.#knee !== noCeiling) this.#knee = Math.max(this.#limit, Math.min(this.#knee, this.inFlight - 1))
    const pauseMs = pauseAfterRefusal({ episodes: this.#episodes, isNew, retryAfterMs }, this.#settings)
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs)
    if (retryAfterMs !== null) {
      this.#namedUntil = Math.max(this.#namedUntil, now + pauseMs)
      this.#probeAt = Math.max(this.#probeAt, now + pauseMs * this.#settings.probePauses)
    }
    if (!isNew && pauseMs === 0) return null
    if (this.limit === before && pauseMs === 0) return null
    return { limit: this.limit, pauseMs, why: retryAfterMs === null ? 'refused' : 'asked_to_wait' }
  }

  /** Ends a slot; ending it twice has no effect. */
  end(slot: RateSlot, how: SlotEnd, now: number): RateChange | null {
    if (!this.#open.has(slot)) return null
    const change = this.#take(slot, how, now)
    this.#open.delete(slot)
    return change
  }

  #take(slot: RateSlot, how: SlotEnd, now: number): RateChange | null {
    switch (how.as) {
      case 'failed':
        return null
      case 'refused':
        return this.refused(slot, how.retryAfterMs, now)
      case 'served': {
        this.#episodes = 0
        const before = this.limit
        // a limit that is not fully used is untested, and a request from before a cut says nothing about it
        if (this.inFlight >= this.limit && slot.epoch === this.#epoch) this.#grow(now)
        return this.limit > before ? { limit: this.limit, pauseMs: 0, why: 'growing' } : null
      }
    }
  }

  /** The one cut of an episode: refusals of requests started before it belong to the same episode. */
  #cut(): void {
    const { probe } = this.#settings
    this.#rounds = this.#knee === noCeiling ? probe.rounds : Math.min(probe.mostRounds, this.#rounds * 2)
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
    if (this.#knee === noCeiling) this.#limit += 1
    else if (this.#limit < this.#knee) this.#limit = Math.min(this.#knee, this.#limit + 0.5)
    else this.#probe(now)
    this.#limit = Math.min(most, this.#limit)
  }

  /** Goes beyond the refused limit: one more after a while; as long as that is sustained, a larger step each round. */
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
