/** How long to wait before trying again: full jitter that grows, on top of what a server asked for. */

export interface Backoff {
  /** The first wait at most, in milliseconds; it doubles with each attempt. */
  baseMs: number
  /** The longest jitter, in milliseconds. */
  capMs: number
  random?: (() => number) | undefined
}

/** Milliseconds before the attempt after attempt `number` (from 1): random in 0…min(cap, base·2^(n−1)), plus Retry-After. */
export function waitBefore(number: number, afterMs: number | null, { baseMs, capMs, random }: Backoff): number {
  const jitter = (random ?? Math.random)() * Math.min(capMs, baseMs * 2 ** (number - 1))
  return Math.round((afterMs ?? 0) + jitter)
}
