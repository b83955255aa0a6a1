/** What an HTTP status of a model server means for a run. */
import type { FailureKind } from '../../../schemas/run.ts'

/** The failure kind of a status of 400 or above. */
export function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 403) return 'credentials'
  if (status === 429) return 'rate_limited'
  if (status === 529) return 'overloaded'
  return status >= 500 || status === 408 || status === 409 ? 'server_error' : 'bad_request'
}

/** Whether the same task may succeed later. */
export function isRetryableKind(kind: FailureKind): boolean {
  return kind !== 'bad_request' && kind !== 'missing_binary' && kind !== 'setup'
}
