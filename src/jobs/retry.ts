/** Tries again with full jitter: waits grow, are random, and never undercut what the server asked for. */
import { setTimeout as sleep } from 'node:timers/promises'
import { waitBefore } from '../base/backoff.ts'

/** Waits of a second at first, of a minute at most. */
const quick = { baseMs: 1000, capMs: 60_000 }

/** Milliseconds: a server that asks for more than an hour is not waited for, and its failure is the last word. */
const longestWaitMs = 3_600_000

/** What an attempt says about trying again: null when there is no point; `uncounted`: at once, and as if it had not been. */
export interface Retryable {
  retry: { afterMs: number | null; uncounted?: boolean } | null
}

export interface RetryOptions<R extends Retryable> {
  /** Further attempts after the first. */
  retries: number
  signal: AbortSignal
  /** Called before each wait with the attempt that failed, the wait in milliseconds and the attempt's result. */
  onRetry?: (attempt: number, waitMs: number, last: R) => void
  baseMs?: number
  capMs?: number
  random?: () => number
}

/**
 * Calls `attempt(n)` (n from 1) until its result asks for no retry or the retries are used up; gives the last result.
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
    const waitMs = retry.uncounted ? 0 : waitBefore(counted, retry.afterMs, { ...quick, ...options })
    if ((retry.afterMs ?? 0) > longestWaitMs) return result
    options.onRetry?.(number, waitMs, result)
    // a signal of its own: many wait on the same one
    const signal = AbortSignal.any([options.signal])
    await sleep(waitMs, undefined, { signal }).catch(() => options.signal.throwIfAborted())
  }
}
