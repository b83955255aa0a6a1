/** Finds how many concurrent requests an account sustains, by trying: AIMD with slow start. Pure: every call gets the time in milliseconds. */
import type { Allowance, SlotEnd } from '../../base/rate_limit_slot.ts'

export interface RateSettings {
  start: number
  most: number
  /** Share of the limit that remains after a cut. */
  cut: number
  /** The first pause without Retry-After; it doubles with each episode of refusals without a served request, up to `capMs`. */
  baseMs: number
  capMs: number
  /** 0…1 */
  random: () => number
}

const rateSettings: RateSettings = {
  start: 8,
  most: 10_000,
  cut: 0.85,
  baseMs: 250,
  capMs: 60_000,
  random: Math.random,
}

/**
 * What must happen before the limit goes beyond what was refused: served requests, and rounds of as many as the limit, which double with
 * each refused try; after a pause that the server named, at least so many times its length.
 */
const probe = { served: 30, rounds: 3, mostRounds: 6, pauses: 20 }
/** The longest random part on top of a server's Retry-After, so that requests do not all arrive at the same moment. */
const mostJitterMs = 250
/** Share of a token quota that must be available before another request is worth a try. */
const tokenShare = 0.1

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

const never = Number.NEGATIVE_INFINITY
/** No refusal so far: the limit may grow freely. */
const noCeiling = Number.POSITIVE_INFINITY

export class RateLimit {
  readonly #settings: RateSettings
  readonly #open = new Set<RateSlot>()
  #limit: number
  #epoch = 0
  #granted = 0
  /** The highest concurrency that was not refused, as far as is known; beyond it, refusals are likely. */
  #knee = noCeiling
  /** Requests served since the limit last changed, while it was fully used. */
  #credit = 0
  #step = 1
  #rounds = probe.rounds
  #pausedUntil = never
  /** The end of the last pause that a server asked for. */
  #namedUntil = never
  #probeAt = never
  /** Episodes of refusals since a request was served. */
  #episodes = 0
  /** Requests left of the quota that the server last reported, until `renewedAt`. */
  #quota = { left: Number.POSITIVE_INFINITY, renewedAt: never }
  /** When enough of a used-up token quota is available. */
  #tokensAt = never

  constructor(settings: Partial<RateSettings> = {}) {
    this.#settings = { ...rateSettings, ...settings }
    this.#limit = Math.min(this.#settings.start, this.#settings.most)
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
    const slot = { epoch: this.#epoch, number: this.#granted }
    this.#granted += 1
    this.#quota.left -= 1
    this.#open.add(slot)
    return slot
  }

  /** The end of a pause; `now` or earlier: none. */
  opensAt(now: number): number {
    return Math.max(this.#pausedUntil, this.#quotaOpensAt(now))
  }

  /** The end of a pause that a server named; `now` or earlier: none. */
  namedUntil(now: number): number {
    return Math.max(this.#namedUntil, this.#quotaOpensAt(now))
  }

  #quotaOpensAt(now: number): number {
    const { left, renewedAt } = this.#quota
    return Math.max(this.#tokensAt, left < 1 && now < renewedAt ? renewedAt : now)
  }

  /** Takes in the rest of the quotas that a server reports. */
  heard(slot: RateSlot, { requests, tokens }: Allowance, now: number): RateChange | null {
    if (requests !== null) {
      const { remaining, limit, resetMs } = requests
      // the server had not counted later requests when it answered
      const later = [...this.#open].filter((one) => one.number > slot.number).length
      // a quota fills steadily: its first request is available after a part of the whole time
      const renewedAt = now + resetMs / Math.max(1, (limit ?? 1) - Math.max(0, remaining))
      this.#quota = { left: remaining - later, renewedAt }
    }
    for (const { remaining, limit, resetMs } of tokens) {
      const waitMs = limit === null ? resetMs : resetMs * tokenShare
      if (remaining <= 0) this.#tokensAt = Math.max(this.#tokensAt, now + waitMs)
    }
    const pauseMs = this.#quotaOpensAt(now) - now
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
    const pauseMs = this.#pauseAfterRefusal(retryAfterMs, isNew)
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs)
    if (retryAfterMs !== null) {
      this.#namedUntil = Math.max(this.#namedUntil, now + pauseMs)
      this.#probeAt = Math.max(this.#probeAt, now + pauseMs * probe.pauses)
    }
    if (pauseMs === 0 && this.limit === before) return null
    return { limit: this.limit, pauseMs, why: retryAfterMs === null ? 'refused' : 'asked_to_wait' }
  }

  /** Without Retry-After it does not pause while other requests are served, because the smaller limit is enough. */
  #pauseAfterRefusal(retryAfterMs: number | null, isNew: boolean): number {
    const { baseMs, capMs, random } = this.#settings
    const episodes = Math.min(this.#episodes, 30)
    if (retryAfterMs !== null) {
      return Math.ceil(retryAfterMs + (isNew ? random() * Math.min(mostJitterMs, (baseMs / 8) * 2 ** episodes) : 0))
    }
    if (!isNew || episodes < 2) return 0
    return Math.ceil(Math.min(capMs, baseMs * 2 ** (episodes - 2)) * (0.5 + random() / 2))
  }

  /** Ends a slot; ending it twice has no effect. */
  end(slot: RateSlot, how: SlotEnd, now: number): RateChange | null {
    if (!this.#open.has(slot)) return null
    const before = this.limit
    const change = how.as === 'refused' ? this.refused(slot, how.retryAfterMs, now) : null
    if (how.as === 'served') {
      this.#episodes = 0
      // a limit that is not fully used is untested, and a request from before a cut says nothing about it
      if (this.inFlight >= this.limit && slot.epoch === this.#epoch) this.#grow(now)
    }
    this.#open.delete(slot)
    return this.limit > before ? { limit: this.limit, pauseMs: 0, why: 'growing' } : change
  }

  /** The one cut of an episode: refusals of requests started before it belong to the same episode. */
  #cut(): void {
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
    if (this.#knee === noCeiling) this.#limit += 1
    else if (this.#limit < this.#knee) this.#limit = Math.min(this.#knee, this.#limit + 0.5)
    else this.#tryMore(now)
    this.#limit = Math.min(this.#settings.most, this.#limit)
  }

  /** Goes beyond the refused limit: one more after a while; as long as that is sustained, a larger step each round. */
  #tryMore(now: number): void {
    if (this.#step > 1) this.#rounds = probe.rounds
    this.#credit += 1
    const needed = this.#step === 1 ? Math.max(probe.served, this.#rounds * this.#limit) : this.#limit
    if (this.#credit < needed || now < this.#probeAt) return
    this.#limit = this.limit + this.#step
    this.#knee = this.#limit
    this.#credit = 0
    this.#step = Math.max(2, Math.min(this.#step * 2, Math.floor(this.#limit / 2)))
  }
}
