/** Reads an account's limits: from response headers (Anthropic's and OpenAI's, and Retry-After), and from the text of an error. */
import type { Allowance, Quota } from '../../base/rate_limit_slot.ts'

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

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds from `now` until the limit ends; null: the message names no time, or one that has passed. */
export function parseResetMs(message: string, now = new Date()): number | null {
  const ms = findEpochMs(message, now) ?? findSpanMs(message) ?? findMomentMs(message, now)
  return ms !== null && ms > 0 ? ms : null
}

/** `Claude AI usage limit reached|1751900400`: seconds since 1970. */
function findEpochMs(message: string, now: Date): number | null {
  const seconds = /limit reached\|(\d{9,11})\b/.exec(message)?.[1]
  return seconds === undefined ? null : Number(seconds) * 1000 - now.getTime()
}

const part = String.raw`(\d+(?:\.\d+)?)\s*(ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b`
const span = new RegExp(
  String.raw`(?:try(?:ing)? again|resets?|retry) in ((?:${part}[\s,]*(?:and\s+)?)+|(?:\d+(?:\.\d+)?(?:ms|[smhd]))+)`,
  'i',
)

/** `try again in 1.5s`, `in 6m0s`, `in 3 days 4 hours 12 minutes`. */
function findSpanMs(message: string): number | null {
  const text = span.exec(message)?.[1]
  if (text === undefined) return null
  return Math.ceil(sumSpans(text))
}

/** Milliseconds of all spans in a text: `6m0s`, `3 days 4 hours`. */
function sumSpans(text: string): number {
  const parts = text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|[smhd])/gi)
  return [...parts].reduce((all, [, count, unit = '']) => all + Number(count) * (unitMs[unit.toLowerCase()] ?? 0), 0)
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const moment = new RegExp(
  [
    String.raw`(?:resets?|reset|try again)(?: on| at)?\s+`,
    String.raw`(?:(?<month>${months.join('|')})[a-z]*\.? (?<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\d{4}))?(?:,| at)? |`,
    `(?<weekday>${days.join('|')})[a-z]*(?:,| at)? )?`,
    String.raw`(?<hour>\d{1,2})(?::(?<minute>\d\d))?\s*(?<half>am|pm)?`,
    String.raw`(?:\s*\((?<zone>[\w/+-]+)\))?`,
  ].join(''),
  'i',
)

/** `resets 3am (America/Los_Angeles)`, `try again at Nov 7th, 2026 3:14 PM`: by the clock of its zone, else of this machine. */
function findMomentMs(message: string, now: Date): number | null {
  const found = moment.exec(message)?.groups
  if (found === undefined) return null
  const { month, day, year, weekday, hour = '', minute = '0', half, zone } = found
  if (half === undefined && found.minute === undefined) return null // a bare number is not a time of day
  const here = wallClock(now, zone)
  if (here === null) return null
  const hours = (Number(hour) % (half === undefined ? 24 : 12)) + (half?.toLowerCase() === 'pm' ? 12 : 0)
  const at = new Date(here)
  at.setUTCHours(hours, Number(minute), 0, 0)
  if (month !== undefined) at.setUTCMonth(months.indexOf(month.toLowerCase()), Number(day))
  if (year !== undefined) at.setUTCFullYear(Number(year))
  else if (month !== undefined && at < here) at.setUTCFullYear(at.getUTCFullYear() + 1)
  if (weekday !== undefined)
    at.setUTCDate(at.getUTCDate() + ((days.indexOf(weekday.toLowerCase()) - at.getUTCDay() + 7) % 7))
  if (month === undefined && at <= here) at.setUTCDate(at.getUTCDate() + (weekday === undefined ? 1 : 7))
  return at.getTime() - here.getTime()
}

/** The local time in the zone, as if it were UTC; null: there is no such zone. */
function wallClock(now: Date, zone: string | undefined): Date | null {
  try {
    const format = new Intl.DateTimeFormat('en-CA', {
      ...(zone !== undefined && { timeZone: zone }),
      ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
      hourCycle: 'h23',
    })
    const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, Number(value)]))
    const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
    return new Date(Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')))
  } catch {
    return null
  }
}
