/** Reads an account's limits from response headers: Anthropic's and OpenAI's, and Retry-After. */
import type { Allowance, Quota } from '../../base/rate_limit_slot.ts'
import { sumSpans } from './reset_time.ts'

/** What is left of each quota; null: the headers don't say. */
export function readAllowance(headers: Headers, here = Date.now()): Allowance | null {
  const now = readServerTime(headers, here)
  const anthropic = (what: string) =>
    quota(
      headers,
      (field) => `anthropic-ratelimit-${what}-${field}`,
      (text) => Date.parse(text) - now,
    )
  const openai = (what: string) =>
    quota(
      headers,
      (field) => `x-ratelimit-${field}-${what}`,
      (text) => parseHeaderSpan(text, now),
    )
  const requests = anthropic('requests') ?? openai('requests')
  const tokens = [anthropic('tokens'), anthropic('input-tokens'), anthropic('output-tokens'), openai('tokens')].filter(
    (one) => one !== null,
  )
  return requests === null && tokens.length === 0 ? null : { requests, tokens }
}

function quota(headers: Headers, nameOf: (field: string) => string, msOf: (text: string) => number): Quota | null {
  const number = (text: string | null) => (text === null || text.trim() === '' ? Number.NaN : Number(text))
  const remaining = number(headers.get(nameOf('remaining')))
  const resetMs = msOf(headers.get(nameOf('reset')) ?? '')
  if (!Number.isFinite(remaining) || !Number.isFinite(resetMs)) return null
  const limit = number(headers.get(nameOf('limit')))
  return { remaining, limit: Number.isFinite(limit) ? limit : null, resetMs: Math.max(0, resetMs) }
}

/** Milliseconds of a span such as `6m0s`, `1.5s` or `20ms`; a plain number is in seconds. NaN: it is not a span. */
function parseHeaderSpan(text: string, now: number): number {
  if (/^\d+(\.\d+)?$/.test(text)) return plainSpan(Number(text), now)
  return /^(\d+(\.\d+)?(ms|[smhd]))+$/.test(text) ? sumSpans(text) : Number.NaN
}

/** From here on a number is not a span, which would be 30 years, but a time in seconds since 1970, as some servers write it. */
const momentSeconds = 1e9
/** From here on it is a time in milliseconds since 1970. */
const momentMs = 1e12

function plainSpan(seconds: number, now: number): number {
  if (seconds < momentSeconds) return seconds * 1000
  return (seconds < momentMs ? seconds * 1000 : seconds) - now
}

/** The time by the server's clock, which its dates refer to; this machine's time if the response has no date. */
function readServerTime(headers: Headers | undefined, here: number): number {
  const there = Date.parse(headers?.get('date') ?? '')
  return Number.isNaN(there) ? here : there
}

/** Milliseconds of Retry-After (seconds or a date); null if it is absent, unreadable or already over: then nothing says how long. */
export function readRetryAfter(headers: Headers | undefined, here = Date.now()): number | null {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  const wait = Number.isFinite(milliseconds) ? milliseconds : parseRetryAfter(headers, readServerTime(headers, here))
  return wait > 0 ? wait : null
}

/** Reset headers of limits, each with the header that says what is left of the same limit. */
const resets: readonly (readonly [RegExp, string])[] = [
  // a subscription has several windows: only the header of the one that counts, which has no window's name, is read
  [/^(anthropic-ratelimit-(?:unified|(?!unified)[\w-]+))-reset$/, '$1-remaining'],
  [/^x-ratelimit-reset(-[\w-]+)?$/, 'x-ratelimit-remaining$1'],
]

/**
 * Milliseconds until the limit that refused a request ends, from reset headers without a header for what is left; null: there are
 * none. A limit with both headers is already in the account's allowance.
 */
export function readLimitResetMs(headers: Headers, here = Date.now()): number | null {
  const now = readServerTime(headers, here)
  const ends = [...headers].flatMap(([name, value]) => {
    const known = resets.find(([pattern]) => pattern.test(name))
    if (known === undefined || headers.has(name.replace(...known))) return []
    const ms = Number.isNaN(parseHeaderSpan(value, now)) ? Date.parse(value) - now : parseHeaderSpan(value, now)
    return ms > 0 ? ms : []
  })
  return ends.length === 0 ? null : Math.max(...ends)
}

function parseRetryAfter(headers: Headers | undefined, now: number): number {
  const text = headers?.get('retry-after')?.trim() ?? ''
  if (text === '') return Number.NaN
  const seconds = Number(text)
  return Number.isFinite(seconds) ? plainSpan(seconds, now) : Date.parse(text) - now
}
