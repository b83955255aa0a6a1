/** Reads from the message of a refusal when the limit ends: "resets 3pm (Europe/Berlin)", "try again in 2 days 3 hours". */

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
export function sumSpans(text: string): number {
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
