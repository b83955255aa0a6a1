/** Computes the wait before a retry: growing full jitter, on top of the server's Retry-After. */

export interface Backoff {
  /** Maximum of the first wait, in milliseconds; it doubles with each attempt. */
  baseMs: number
  /** The longest jitter, in milliseconds. */
  capMs: number
  random?: (() => number) | undefined
}

/** Milliseconds before the attempt after attempt `number` (from 1): random in 0…min(cap, base·2^(n−1)), plus Retry-After. */
export function backoffDelay(number: number, afterMs: number | null, { baseMs, capMs, random }: Backoff): number {
  const jitter = (random ?? Math.random)() * Math.min(capMs, baseMs * 2 ** (number - 1))
  return Math.round((afterMs ?? 0) + jitter)
}
