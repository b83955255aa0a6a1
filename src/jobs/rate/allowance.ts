/** Follows the quotas that servers report in headers: starts no more requests than are left until the quota is renewed. */
import type { Allowance } from '../../base/rate_limit_slot.ts'

/** Share of a token quota that must be available before another request is worth a try. */
const tokenShare = 0.1

export class Allowances {
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
