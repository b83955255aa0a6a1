/** From an error of an SDK to a failure kind, whether it may pass, and how long the server wants us to wait. */
import type { FailureKind } from '../../schemas/run.ts'
import { messageOf } from '../base/error.ts'
import { deepest } from './ask_server.ts'
import type { EngineError } from './engine.ts'
import { SilentServerError } from './gated_fetch.ts'
import { kindOfStatus, mayPass } from './http_status.ts'
import { retryAfter } from './rate_headers.ts'

/** An answer with an error, as the official SDKs throw it. */
interface ApiFailure extends Error {
  status: number | undefined
  headers: Headers | undefined
  type?: string | null | undefined
  code?: string | null | undefined
}

/** The SDK's own error classes. */
export interface SdkErrors {
  APIError: abstract new (...args: never[]) => ApiFailure
  APIConnectionError: abstract new (...args: never[]) => Error
}

/** Maps whatever a request threw; `url` is named where the server could not be reached. */
export function engineErrorOf(error: unknown, url: string, { APIError, APIConnectionError }: SdkErrors): EngineError {
  const silence = silenceIn(error)
  if (silence !== null) return { kind: 'server_error', message: silence.message, retryable: true, retryAfterMs: null }
  if (error instanceof APIConnectionError) {
    const cause = error.cause === undefined ? error.message : deepest(error.cause)
    return { kind: 'unreachable', message: `can't reach ${url}: ${cause}`, retryable: true, retryAfterMs: null }
  }
  if (!(error instanceof APIError)) return unreadable(messageOf(error))
  const { status, type, code, message, headers } = error
  const kind = kindOfWord(code) ?? (status === undefined ? (kindOfWord(type) ?? 'server_error') : kindOfStatus(status))
  return { kind, message, retryable: mayPass(kind), retryAfterMs: retryAfter(headers) }
}

/** A response that began and was not whole. */
export function unreadable(why: string): EngineError {
  const message = `the response could not be read to its end: ${why}`
  return { kind: 'server_error', message, retryable: true, retryAfterMs: null }
}

/** Words for errors inside a stream that began well, which has no status; and for an empty account, whose 429 never passes. */
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
  not_found_error: 'bad_request',
  request_too_large: 'bad_request',
}

/** The failure that an API's own word stands for; null: it stands for none. */
export function kindOfWord(word: string | null | undefined): FailureKind | null {
  return kinds[word ?? ''] ?? null
}

/** The silence that an SDK wrapped up; null: it was something else. */
function silenceIn(error: unknown): SilentServerError | null {
  if (error instanceof SilentServerError) return error
  return error instanceof Error ? silenceIn(error.cause) : null
}
