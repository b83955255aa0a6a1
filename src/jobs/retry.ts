/** Retries with full jitter: waits grow, are random, and are never shorter than the server's Retry-After. */
import { setTimeout as sleep } from 'node:timers/promises'
import { backoffDelay } from '../base/time/backoff.ts'

/** Milliseconds: the first wait is at most a second, later ones at most a minute. */
const quick = { baseMs: 1000, capMs: 60_000 }

/** Milliseconds: when a server asks for more than an hour, the failure is final. */
const longestWaitMs = 3_600_000

/** What an attempt says about a retry. null: pointless; `uncounted`: retry at once, without counting the attempt. */
export interface Retryable {
  retry: { afterMs: number | null; uncounted?: boolean } | null
}

export interface RetryOptions<R extends Retryable> {
  /** Further attempts after the first. */
  retries: number
  signal: AbortSignal
  /** Called before each wait with the failed attempt's number, the wait in milliseconds and the attempt's result. */
  onRetry?: (attempt: number, waitMs: number, last: R) => void
  baseMs?: number
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
  let counted = 0
  for (let number = 1; ; number += 1) {
    options.signal.throwIfAborted()
    const result = await attempt(number)
    const { retry } = result
    if (retry === null) return result
    if (!retry.uncounted) counted += 1
    if (counted > options.retries) return result
    const waitMs = retry.uncounted ? 0 : backoffDelay(counted, retry.afterMs, { ...quick, ...options })
    if ((retry.afterMs ?? 0) > longestWaitMs) return result
    options.onRetry?.(number, waitMs, result)
    // its own signal: many wait on the shared one
    const signal = AbortSignal.any([options.signal])
    await sleep(waitMs, undefined, { signal }).catch(() => options.signal.throwIfAborted())
  }
}
