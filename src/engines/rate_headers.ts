/** What the headers of a response say of the account's limits: Anthropic's and OpenAI's, and Retry-After. */
import type { Allowance, Quota } from '../base/slot.ts'

/** null: they say nothing. */
export function allowanceOf(headers: Headers, here = Date.now()): Allowance | null {
  const now = timeThere(headers, here)
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
      (text) => spanOf(text, now),
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

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A span such as `6m0s`, `1.5s` or `20ms`, a plain number being seconds; NaN: none. */
function spanOf(text: string, now: number): number {
  if (/^\d+(\.\d+)?$/.test(text)) return plainSpan(Number(text), now)
  if (!/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(text)) return Number.NaN
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)
  return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0)
}

/** From here on a number is no span, which would be 30 years, but a moment in seconds since 1970, as some servers write it. */
const momentSeconds = 1e9
/** And from here on one in milliseconds. */
const momentMs = 1e12

function plainSpan(seconds: number, now: number): number {
  if (seconds < momentSeconds) return seconds * 1000
  return (seconds < momentMs ? seconds * 1000 : seconds) - now
}

/** What the server's own clock says, which its dates are told by; ours where it does not tell. */
function timeThere(headers: Headers | undefined, here: number): number {
  const there = Date.parse(headers?.get('date') ?? '')
  return Number.isNaN(there) ? here : there
}

/** Milliseconds of Retry-After (seconds or a date); null when there is none, or none that lies ahead: that is no word on how long. */
export function retryAfter(headers: Headers | undefined, here = Date.now()): number | null {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  const wait = Number.isFinite(milliseconds) ? milliseconds : inRetryAfter(headers, timeThere(headers, here))
  return wait > 0 ? wait : null
}

function inRetryAfter(headers: Headers | undefined, now: number): number {
  const text = headers?.get('retry-after')?.trim() ?? ''
  if (text === '') return Number.NaN
  const seconds = Number(text)
  return Number.isFinite(seconds) ? plainSpan(seconds, now) : Date.parse(text) - now
}
