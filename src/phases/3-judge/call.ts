/** One question to an engine: failures that may pass are tried again a few times, a call that hangs is ended. */
import { waitBefore } from '../../base/backoff.ts'
import { messageOf } from '../../base/error.ts'
import { isShortage } from '../../base/shortage.ts'
import type {
  Engine,
  EngineContext,
  EngineError,
  EngineOutcome,
  EngineReport,
  EngineTask,
} from '../../engines/engine.ts'
import { type Gate, openGate } from '../../engines/gate.ts'
import { runAtGate } from '../../engines/perform.ts'
import { workLimit } from '../../engines/work_limit.ts'

export interface RetryLimits {
  /** Further attempts after a failure that may pass, 3. */
  retries: number
  /** First wait at most, 1000 ms; it doubles each time. */
  baseMs: number
  /** Longest wait that a server may ask for, 120,000 ms; beyond it the call counts as failed. */
  longestWaitMs: number
  /** Time of one call, 300,000 ms. */
  timeoutMs: number
}

const defaults: RetryLimits = { retries: 3, baseMs: 1000, longestWaitMs: 120_000, timeoutMs: 300_000 }

/** completed: there is a report to read; malformed: the agent ended, its output was no answer; failed: it never got to answer. */
export type CallEnd =
  | { status: 'completed'; report: EngineReport }
  | { status: 'malformed'; problem: string; said: string }
  | { status: 'failed'; problem: string }

export interface CallRequest {
  engine: Engine
  /** Makes the task of an attempt (each has a session of its own). */
  task: () => EngineTask
  context: EngineContext
  /** Told of every attempt: its report when the agent answered or said what it used, else null. */
  onCall: (report: EngineReport | null) => void
  limits: Partial<RetryLimits>
}

/** Rejects only with the abort reason of the context, or with what the machine is short of. */
export async function callWithRetries(request: CallRequest): Promise<CallEnd> {
  const limits = { ...defaults, ...request.limits }
  const { signal, gate = openGate(null) } = request.context
  for (let attempt = 1; ; ) {
    const outcome = await callOnce(request, limits.timeoutMs, gate)
    if (outcome.status === 'completed') return { status: 'completed', report: outcome.report }
    const { error, report } = outcome
    if (error.kind === 'bad_output') return { status: 'malformed', problem: error.message, said: report.finalResponse }
    // the account's limit is no failure: the next call waits its turn at the gate
    if (error.kind === 'rate_limited' && error.retryable && gate.governs) continue
    const wait = waitFor(attempt, error, limits)
    if (wait === null) return { status: 'failed', problem: `${error.kind}: ${error.message}` }
    attempt += 1
    await gate.pause(wait, signal)
  }
}

async function callOnce(request: CallRequest, timeoutMs: number, gate: Gate): Promise<EngineOutcomeOrBroken> {
  const { engine, context, onCall } = request
  using timeout = workLimit(timeoutMs, () => gate.waitedMs, [context.signal])
  try {
    context.signal.throwIfAborted()
    const outcome = await runAtGate(engine, request.task(), { ...context, signal: timeout.signal, gate })
    onCall(isUsed(outcome) ? outcome.report : null)
    return outcome
  } catch (thrown) {
    context.signal.throwIfAborted()
    if (isShortage(thrown)) throw thrown
    onCall(null)
    const message = timeout.signal.aborted ? `no answer within ${timeoutMs / 1000} s` : messageOf(thrown)
    const error = { kind: 'crash', message, retryable: false, retryAfterMs: null } as const
    return { status: 'failed', error, report: { finalResponse: '' } }
  }
}

type EngineOutcomeOrBroken =
  | { status: 'completed'; report: EngineReport }
  | { status: 'failed'; error: EngineError; report: Pick<EngineReport, 'finalResponse'> }

/** A failed call that names no use had none worth knowing (a refused connection, a rate limit). */
function isUsed(outcome: EngineOutcome): boolean {
  return outcome.status === 'completed' || outcome.report.usage !== null || outcome.report.cost !== null
}

/** Milliseconds until the next attempt; null: no further attempt. */
function waitFor(attempt: number, error: EngineError, limits: RetryLimits): number | null {
  if (!error.retryable || attempt > limits.retries) return null
  if ((error.retryAfterMs ?? 0) > limits.longestWaitMs) return null
  return waitBefore(attempt, error.retryAfterMs, { baseMs: limits.baseMs, capMs: limits.longestWaitMs })
}
