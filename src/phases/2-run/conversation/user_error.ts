/** The failure of a run whose user model gave no usable answer. */
import type { AskOutcome } from '../../../engines/ask/ask.ts'
import type { EngineError } from '../../../engines/engine.ts'

/** A failure of the provider keeps its kind; wrong answers are the user model's own. `did`: what it did not do. */
export function toUserError(
  { error, failure }: Extract<AskOutcome<unknown>, { status: 'error' }>,
  did: string,
): EngineError {
  if (failure !== undefined) return { ...failure, message: `the user model: ${failure.message}` }
  return { kind: 'user_error', message: `the user model ${did}: ${error}`, retryable: true, retryAfterMs: null }
}
