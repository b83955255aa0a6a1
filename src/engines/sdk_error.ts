/** From an error of an SDK to a failure kind, whether it may pass, and how long the server wants us to wait. */
import type { FailureKind } from '../../schemas/run.ts'
import { messageOf } from '../base/error.ts'
import type { EngineError } from './engine.ts'
import { kindOfStatus, mayPass } from './http_status.ts'

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

/** Milliseconds of Retry-After (seconds or a date); null when there is none. */
export function retryAfter(headers: Headers | undefined, now = Date.now()): number | null {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds)
  const text = headers?.get('retry-after')
  if (!text) return null
  const seconds = Number(text)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - now
  return Number.isNaN(wait) ? null : Math.max(0, wait)
}

/** The innermost message: "fetch failed" says nothing, ECONNREFUSED does. */
function deepest(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? deepest(error.cause) : messageOf(error)
}
