/** Runs the agent under its time limit, with a conversation's partner if it has one. */
import path from 'node:path'
import { errorMessage } from '../../base/errors/error.ts'
import { isShortage } from '../../base/process/resource_shortage.ts'
import { activeNow, suspendedMs } from '../../base/time/active_time.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import type { EngineContext, EngineError, EngineReport, EngineTask } from '../../engines/engine.ts'
import { emptyReport } from '../../engines/engine.ts'
import { ServerCalls } from '../../engines/environment/suite_servers.ts'
import { isRetryableKind } from '../../engines/limits/error_text.ts'
import { runRateLimited } from '../../engines/limits/execute_within_limits.ts'
import { loadPrices } from '../../engines/models/cost.ts'
import type { Transcript } from './collect/transcript.ts'
import { RunConversation } from './conversation/conversation.ts'
import type { Partner } from './conversation/partner.ts'
import type { RunEnd } from './run_record.ts'
import type { LimitedRunRequest, RunRequest } from './run_request.ts'

export const stderrName = 'stderr.log'

interface TimedRun {
  transcript: Transcript
  /** The temp directory, absolute. */
  temp: string
  /** null: the case has one turn. */
  partner: Partner | null
}

/** Runs the agent under its time limit. A timeout is an end like any other: the engine has stopped the agent by then. */
export async function runWithTimeout(
  request: LimitedRunRequest,
  task: EngineTask,
  { transcript, temp, partner }: TimedRun,
): Promise<RunEnd> {
  const { gate } = request
  const ends = request.deadline ? [request.signal, request.deadline] : [request.signal]
  if (request.engine.reports) await loadPrices() // for the models whose usage the engine reports
  const servers = new ServerCalls(task)
  const emit: EngineContext['emit'] = (event) => {
    servers.take(event)
    transcript.add(event)
    request.onEvent?.(event)
  }
  const conversation = partner && new RunConversation(request.spec.prompt, partner, emit)
  const waitedMs = () => gate.waitedMs + (conversation?.waitedMs ?? 0)
  using limit = startTimeLimit(request.spec.timeout_seconds * 1000, ends, { waitedMs, what: ' of work' })
  const { signal } = limit
  // in the temp directory, because the results only contain redacted files
  const stderrFile = path.join(temp, stderrName)
  const startedAt = new Date()
  const start = activeNow()
  const suspendedBefore = suspendedMs()
  const finish = (outcome: RunEnd['outcome']): RunEnd => {
    const durationMs = Math.round(activeNow() - start) - (conversation?.waitedMs ?? 0)
    const times = { startedAt, endedAt: new Date(), durationMs, suspendedMs: suspendedMs() - suspendedBefore }
    const error = conversation?.failure ?? servers.failure
    return { outcome: withFailure(outcome, error), ...times, before: null, conversation }
  }
  const early = createEarlyReport()
  const { soFar } = early
  try {
    return finish(
      await runRateLimited(request.engine, withNextMessage(task, conversation, signal), {
        signal,
        stderrFile,
        emit,
        gate,
        soFar,
      }),
    )
  } catch (error) {
    request.signal.throwIfAborted()
    if (request.deadline?.aborted) {
      transcript.add({ type: 'error', step: 0, kind: 'cancelled', message: errorMessage(request.deadline.reason) })
      return finish({ status: 'cancelled', report: await early.take() })
    }
    if (isShortage(error)) throw error
    if (!limit.signal.aborted)
      throw new Error(`engine ${request.engine.name} rejected: ${errorMessage(error)}`, { cause: error })
    const seconds = request.spec.timeout_seconds
    const report = await early.take()
    const failure = servers.failureAtLimit() ?? (request.engine.hidesWork ? null : providerFailure(report, seconds))
    if (failure !== null) {
      transcript.add({ type: 'error', step: 0, kind: failure.kind, message: failure.message })
      return finish({ status: 'failed', error: failure, report })
    }
    transcript.add({ type: 'error', step: 0, kind: 'timed_out', message: `did not end within ${seconds} s` })
    // the time that stopping it took is not its working time
    return { ...finish({ status: 'timed_out', report }), durationMs: seconds * 1000 }
  }
}

/**
 * The failure of the provider that made the run reach its time limit; null: the model had answered and no provider error was being retried,
 * so the timeout is the agent's.
 */
function providerFailure({ answered, retrying }: EngineReport, seconds: number): EngineError | null {
  if (retrying !== null) {
    const { kind, message } = retrying
    const when = `the request was being retried when the time limit of ${seconds} s was reached`
    return { kind, message: `${message} (${when})`, retryable: isRetryableKind(kind), retryAfterMs: null }
  }
  if (answered) return null
  const message = `the model had not answered within ${seconds} s, the time limit of the case`
  return { kind: 'server_error', message, retryable: true, retryAfterMs: null }
}

/** A partner or a server of the suite that could not go on makes the run a failure, whatever the agent did. */
function withFailure(outcome: RunEnd['outcome'], error: EngineError | null): RunEnd['outcome'] {
  return error === null || outcome.status !== 'completed'
    ? outcome
    : { status: 'failed', error, report: outcome.report }
}

function withNextMessage(task: EngineTask, conversation: RunConversation | null, signal: AbortSignal): EngineTask {
  return conversation === null ? task : { ...task, nextMessage: (answer) => conversation.next(answer, signal) }
}

export function untilDeadline({ signal, deadline }: RunRequest): AbortSignal {
  return deadline ? AbortSignal.any([signal, deadline]) : signal
}

/** `soFar` goes to the engine; call `take` after the engine has rejected to get its last report. */
export function createEarlyReport(): { soFar: NonNullable<EngineContext['soFar']>; take: () => Promise<EngineReport> } {
  let report = () => Promise.resolve(emptyReport)
  return {
    soFar(of) {
      report = of
    },
    async take() {
      const { version, model, provider, sessionId, usage, cost, answered, retrying, ...rest } = await report()
      const { furtherCalls, refusedRequests } = rest
      const atProxy = { ...(furtherCalls && { furtherCalls }), ...(refusedRequests && { refusedRequests }) }
      // its loaded parts and answer may be incomplete, so no conclusion is drawn from them
      return { ...emptyReport, version, model, provider, sessionId, usage, cost, answered, retrying, ...atProxy }
    },
  }
}
