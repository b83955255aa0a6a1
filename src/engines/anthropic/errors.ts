/** From an error of the SDK to a failure kind, whether it may pass, and how long the server wants us to wait. */
import { APIConnectionError, APIError } from '@anthropic-ai/sdk'
import type { FailureKind } from '../../../schemas/run.ts'
import { messageOf } from '../../base/error.ts'
import type { EngineError } from '../engine.ts'
import { kindOfStatus, mayPass } from '../http_status.ts'

/** Maps whatever a request threw; `url` is named where the server could not be reached. */
export function engineErrorOf(error: unknown, url: string): EngineError {
  if (error instanceof APIConnectionError) {
    const cause = error.cause === undefined ? error.message : deepest(error.cause)
    return { kind: 'unreachable', message: `can't reach ${url}: ${cause}`, retryable: true, retryAfterMs: null }
  }
  if (!(error instanceof APIError)) {
    const message = `the response could not be read to its end: ${messageOf(error)}`
    return { kind: 'server_error', message, retryable: true, retryAfterMs: null }
  }
  const kind = error.status === undefined ? kindOfType(error.type) : kindOfStatus(error.status)
  return { kind, message: error.message, retryable: mayPass(kind), retryAfterMs: retryAfter(error.headers) }
}

/** An error inside a stream that began well has no status, only a type. */
function kindOfType(type: string | null): FailureKind {
  const kinds: Readonly<Record<string, FailureKind>> = {
    authentication_error: 'credentials',
    permission_error: 'credentials',
    rate_limit_error: 'rate_limited',
    overloaded_error: 'overloaded',
    invalid_request_error: 'bad_request',
    not_found_error: 'bad_request',
    request_too_large: 'bad_request',
  }
  return kinds[type ?? ''] ?? 'server_error'
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
