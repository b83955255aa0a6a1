/** Retries with full jitter: waits grow, are random, and are never shorter than the server's Retry-After. */
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * What an attempt says about a retry. null: pointless; `uncounted`: retry at once, without counting the attempt; `isEndless`: retry after a
 * wait, however often.
 */
export interface Retryable {
  retry: { afterMs: number | null; uncounted?: boolean; isEndless?: boolean } | null
}

export interface RetryOptions<R extends Retryable> {
  /** Further attempts after the first. */
  retries: number
  signal: AbortSignal
  /** Called before each wait with the failed attempt's number, the wait in milliseconds and the attempt's result. */
  onRetry?: (attempt: number, waitMs: number, last: R) => void
  /** Waits; `namedMs`: what the server asked for. Absent: a plain wait. */
  pause?: (waitMs: number, namedMs: number | null) => Promise<void>
  /** Milliseconds: when a server asks for more, the failure is final; absent: an hour. */
  longestWaitMs?: number
  /** Maximum of the first wait, in milliseconds; it doubles with each attempt; absent: a second. */
  baseMs?: number
  /** The longest jitter, in milliseconds; absent: a minute. */
  capMs?: number
  random?: () => number
}

/**
 * Calls `attempt(n)` (n from 1) until its result asks for no retry or no retries are left; returns the last result.
 * Rejects with the abort reason when aborted while waiting.
 */
export async function withRetry<R extends Retryable>(
  attempt: (number: number) => Promise<R>,
  options: RetryOptions<R>,
): Promise<R> {
  const { retries, signal, longestWaitMs = 3_600_000 } = options
  const pause = options.pause ?? ((ms) => sleepUntilAborted(ms, signal))
  let counted = 0
  for (let number = 1; ; number += 1) {
    signal.throwIfAborted()
    const result = await attempt(number)
    const { retry } = result
    if (retry === null) return result
    if (!retry.uncounted) counted += 1
    const isLast = counted > retries || (retry.afterMs ?? 0) > longestWaitMs
    if (isLast && !retry.isEndless) return result
    const waitMs = retry.uncounted ? 0 : backoffDelay(counted, retry.afterMs, options)
    options.onRetry?.(number, waitMs, result)
    if (!retry.uncounted) await pause(waitMs, retry.afterMs)
  }
}

async function sleepUntilAborted(ms: number, shared: AbortSignal): Promise<void> {
  // its own signal: many wait on the shared one
  const signal = AbortSignal.any([shared])
  await sleep(ms, undefined, { signal }).catch(() => shared.throwIfAborted())
}

/** Milliseconds before the attempt after attempt `number` (from 1): random in 0…min(cap, base·2^(n−1)), plus Retry-After. */
export function backoffDelay(
  number: number,
  afterMs: number | null,
  { baseMs = 1000, capMs = 60_000, random = Math.random }: Pick<RetryOptions<never>, 'baseMs' | 'capMs' | 'random'>,
): number {
  return Math.round((afterMs ?? 0) + random() * Math.min(capMs, baseMs * 2 ** (number - 1)))
}
