/** Sends one question to an engine: retries temporary failures and ends a call that hangs. */
import { errorMessage } from '../../base/errors/error.ts'
import { isShortage } from '../../base/process/resource_shortage.ts'
import { withRetry } from '../../base/time/retry.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import type { Engine, EngineContext, EngineError, EngineOutcome, EngineReport, EngineTask } from '../engine.ts'
import { runRateLimited } from '../limits/execute_within_limits.ts'
import { openRateLimiter, type RateLimiter } from '../limits/rate_limiter.ts'

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
  const attempt = async () => {
    const outcome = await callOnce(request, limits.timeoutMs, gate)
    if (outcome.status === 'completed' || !outcome.error.retryable) return { outcome, retry: null }
    const { kind, retryAfterMs: afterMs } = outcome.error
    // the account's limit is not a failure: the next call waits at the rate limiter
    return { outcome, retry: { afterMs, uncounted: kind === 'rate_limited' && gate.governs } }
  }
  const pause = (ms: number, namedMs: number | null) => gate.pause(ms, signal, namedMs)
  const { outcome } = await withRetry(attempt, { ...limits, capMs: limits.longestWaitMs, signal, pause })
  if (outcome.status === 'completed') return { status: 'completed', report: outcome.report }
  const { error, report } = outcome
  if (error.kind === 'bad_output') return { status: 'malformed', problem: error.message, said: report.finalResponse }
  return { status: 'failed', problem: `${error.kind}: ${error.message}`, failure: error }
}

async function callOnce(request: CallRequest, timeoutMs: number, gate: RateLimiter): Promise<EngineOutcomeOrBroken> {
  const { engine, context, onCall } = request
  using timeout = startTimeLimit(timeoutMs, [context.signal], { waitedMs: () => gate.waitedMs, what: ' of work' })
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
