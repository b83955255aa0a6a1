/** Decides whether the provider made a run reach its time limit: then the timeout is not the agent's. */
import type { EngineError, EngineReport } from '../engine.ts'
import { isRetryableKind } from './http_status.ts'

/**
 * The failure of the provider; null: the model had answered and no provider error was being retried, so the timeout is the agent's.
 * `seconds`: the time limit.
 */
export function providerFailure(
  { answered, retrying }: Pick<EngineReport, 'answered' | 'retrying'>,
  seconds: number,
): EngineError | null {
  if (retrying !== null) {
    const { kind, message } = retrying
    const when = `the request was being retried when the time limit of ${seconds} s was reached`
    return { kind, message: `${message} (${when})`, retryable: isRetryableKind(kind), retryAfterMs: null }
  }
  if (answered) return null
  const message = `the model had not answered within ${seconds} s, the time limit of the case`
  return { kind: 'server_error', message, retryable: true, retryAfterMs: null }
}
