/** Sends one question to an engine: retries temporary failures and ends a call that hangs. */
import { errorMessage } from '../../base/errors/error.ts'
import { isShortage } from '../../base/process/resource_shortage.ts'
import { backoffDelay } from '../../base/time/backoff.ts'
import type { Engine, EngineContext, EngineError, EngineOutcome, EngineReport, EngineTask } from '../engine.ts'
import { runRateLimited } from '../limits/execute_within_limits.ts'
import { openRateLimiter, type RateLimiter } from '../limits/rate_limiter.ts'
import { startWorkLimit } from '../limits/work_time_limit.ts'

export interface RetryLimits {
  /** Retries after a temporary failure, 3. */
  retries: number
  /** Upper bound of the first wait, 1000 ms; it doubles each time. */
  baseMs: number
  /** Longest wait that a server may ask for, 120,000 ms; above it the call fails. */
  longestWaitMs: number
  /** Time limit of one call, 300,000 ms. */
  timeoutMs: number
}

/** Providers end a batch within 24 hours. */
const laterTimeoutMs = 25 * 3_600_000

const defaults: RetryLimits = { retries: 3, baseMs: 1000, longestWaitMs: 120_000, timeoutMs: 300_000 }

/** completed: there is a report; malformed: the agent ended without a usable answer; failed: it could not answer. */
export type CallEnd =
  | { status: 'completed'; report: EngineReport }
  | { status: 'malformed'; problem: string; said: string }
  | { status: 'failed'; problem: string; failure: EngineError }

export interface CallRequest {
  engine: Engine
  /** Creates the task of an attempt (each has its own session). */
  task: () => EngineTask
  context: EngineContext
  /** Called for every attempt with its report if the agent answered or reported usage, else null. */
  onCall: (report: EngineReport | null) => void
  limits: Partial<RetryLimits>
}

/** Rejects only with the abort reason of the context, or if this machine is short of a resource. */
export async function callWithRetries(request: CallRequest): Promise<CallEnd> {
  const timeoutMs = request.engine.answersLater ? laterTimeoutMs : defaults.timeoutMs
  const limits = { ...defaults, timeoutMs, ...request.limits }
  const { signal, gate = openRateLimiter(null) } = request.context
  for (let attempt = 1; ; ) {
    const outcome = await callOnce(request, limits.timeoutMs, gate)
    if (outcome.status === 'completed') return { status: 'completed', report: outcome.report }
    const { error, report } = outcome
    if (error.kind === 'bad_output') return { status: 'malformed', problem: error.message, said: report.finalResponse }
    // the account's limit is not a failure: the next call waits at the rate limiter
    if (error.kind === 'rate_limited' && error.retryable && gate.governs) continue
    const wait = computeRetryWait(attempt, error, limits)
    if (wait === null) return { status: 'failed', problem: `${error.kind}: ${error.message}`, failure: error }
    attempt += 1
    await gate.pause(wait, signal, error.retryAfterMs)
  }
}

async function callOnce(request: CallRequest, timeoutMs: number, gate: RateLimiter): Promise<EngineOutcomeOrBroken> {
  const { engine, context, onCall } = request
  using timeout = startWorkLimit(timeoutMs, () => gate.waitedMs, [context.signal])
  try {
    context.signal.throwIfAborted()
    const outcome = await runRateLimited(engine, request.task(), { ...context, signal: timeout.signal, gate })
    onCall(isUsed(outcome) ? outcome.report : null)
    return outcome
  } catch (thrown) {
    context.signal.throwIfAborted()
    if (isShortage(thrown)) throw thrown
    onCall(null)
    const message = timeout.signal.aborted ? `no answer within ${timeoutMs / 1000} s` : errorMessage(thrown)
    const error = { kind: 'crash', message, retryable: false, retryAfterMs: null } as const
    return { status: 'failed', error, report: { finalResponse: '' } }
  }
}

type EngineOutcomeOrBroken =
  | { status: 'completed'; report: EngineReport }
  | { status: 'failed'; error: EngineError; report: Pick<EngineReport, 'finalResponse'> }

/** A failed call without reported usage cost nothing notable (a refused connection, a rate limit). */
function isUsed(outcome: EngineOutcome): boolean {
  return outcome.status === 'completed' || outcome.report.usage !== null || outcome.report.cost !== null
}

/** Milliseconds until the next attempt; null: no retry. */
function computeRetryWait(attempt: number, error: EngineError, limits: RetryLimits): number | null {
  if (!error.retryable || attempt > limits.retries) return null
  if ((error.retryAfterMs ?? 0) > limits.longestWaitMs) return null
  return backoffDelay(attempt, error.retryAfterMs, { baseMs: limits.baseMs, capMs: limits.longestWaitMs })
}
