/** Maps an error of an SDK to a failure kind, whether it may pass, and how long the server asks to wait. */
import type { FailureKind } from '../../../schemas/run.ts'
import { errorMessage } from '../../base/errors/error.ts'
import { innermostMessage } from '../answers/ask_server.ts'
import type { EngineError } from '../engine.ts'
import { isRetryableKind, kindOfStatus } from '../limits/error_text.ts'
import { readRetryAfter } from '../limits/rate_headers.ts'
import { SilentServerError } from '../limits/rate_limited_fetch.ts'

/** An error response, as the official SDKs throw it. */
interface ApiFailure extends Error {
  status: number | undefined
  headers: Headers | undefined
  type?: string | null | undefined
  code?: string | null | undefined
}

export interface SdkErrors {
  APIError: abstract new (...args: never[]) => ApiFailure
  APIConnectionError: abstract new (...args: never[]) => Error
}

/** How the clouds' clients say that they got no token to sign a request with. */
const unsigned = /Failed to (?:acquire Google OAuth|resolve AWS) credentials/

/** Maps whatever a request threw; the message names `url` if the server could not be reached. */
export function toEngineError(error: unknown, url: string, { APIError, APIConnectionError }: SdkErrors): EngineError {
  const silence = findSilence(error)
  if (silence !== null) return { kind: 'server_error', message: silence.message, retryable: true, retryAfterMs: null }
  if (error instanceof APIConnectionError) {
    const cause = error.cause === undefined ? error.message : innermostMessage(error.cause)
    if (unsigned.test(error.message)) {
      return { kind: 'credentials', message: `${error.message} ${cause}`, retryable: true, retryAfterMs: null }
    }
    return { kind: 'unreachable', message: `can't reach ${url}: ${cause}`, retryable: true, retryAfterMs: null }
  }
  if (!(error instanceof APIError)) return unreadableResponse(errorMessage(error))
  const { status, type, code, message, headers } = error
  const kind = kindOfWord(code) ?? (status === undefined ? (kindOfWord(type) ?? 'server_error') : kindOfStatus(status))
  return { kind, message, retryable: isRetryableKind(kind), retryAfterMs: readRetryAfter(headers) }
}

/** The error for a response that began but was not complete. */
export function unreadableResponse(why: string): EngineError {
  const message = `the response could not be read to its end: ${why}`
  return { kind: 'server_error', message, retryable: true, retryAfterMs: null }
}

/** Error words in a stream that began well, which has no error status; and of an empty account, whose 429 never passes. */
const kinds: Readonly<Record<string, FailureKind>> = {
  authentication_error: 'credentials',
  permission_error: 'credentials',
  insufficient_quota: 'credentials',
  rate_limit_error: 'rate_limited',
  rate_limit_exceeded: 'rate_limited',
  overloaded_error: 'overloaded',
  server_is_overloaded: 'overloaded',
  slow_down: 'overloaded',
  invalid_request_error: 'bad_request',
  invalid_prompt: 'bad_request',
  context_length_exceeded: 'bad_request',
  not_found_error: 'bad_request',
  request_too_large: 'bad_request',
  // in a stream of Bedrock
  throttlingException: 'rate_limited',
  serviceUnavailableException: 'overloaded',
  validationException: 'bad_request',
}

/** The failure kind of an API's own error word; null: the word is not known. */
export function kindOfWord(word: string | null | undefined): FailureKind | null {
  return kinds[word ?? ''] ?? null
}

/** The SilentServerError that an SDK wrapped; null: it was another error. */
function findSilence(error: unknown): SilentServerError | null {
  if (error instanceof SilentServerError) return error
  return error instanceof Error ? findSilence(error.cause) : null
}
