/** Sends a request to the model again once the agent is at work: a restart of the whole run would cost more. */
import { backoffDelay } from '../../base/time/backoff.ts'
import type { ProviderError } from '../engine.ts'
import type { RateLimiter } from '../limits/rate_limiter.ts'
import type { ModelAnswer } from './session.ts'

export interface RetryPolicy {
  /** How often one request is sent at most. */
  tries: number
  signal: AbortSignal
  gate: RateLimiter
  /** Called with the error before the request is sent again. */
  onRetry?: (error: ProviderError) => void
  random?: () => number
}

/** The longest wait before another try; if the server asks for a longer one, the caller gets the failure. */
const longestWaitMs = 60_000
const backoff = { baseMs: 1000, capMs: longestWaitMs / 2 }

/** Repeats the request after a failure that may pass. Rejects with the abort reason when aborted, and never otherwise. */
export async function askWithRetry(ask: () => Promise<ModelAnswer>, patience: RetryPolicy): Promise<ModelAnswer> {
  for (let number = 1; ; number += 1) {
    const asked = await ask()
    if (asked.ok || !asked.error.retryable) return asked
    // reported inside a stream that began well; a plain 429 waits in the rate limiter
    const isLimit = asked.error.kind === 'rate_limited' && patience.gate.governs
    if (number >= patience.tries && !isLimit) return asked
    const wait = backoffDelay(number, asked.error.retryAfterMs, { ...backoff, random: patience.random })
    if (wait > longestWaitMs && !isLimit) return asked
    patience.onRetry?.(asked.error)
    await patience.gate.pause(wait, patience.signal, asked.error.retryAfterMs)
  }
}
