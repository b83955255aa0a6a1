/** Parses a deadline: a duration from the start, a time of day, or a date and time. */
import { UserError } from '../../../base/errors/error.ts'

const fix = 'use a form such as 30m, 1h30m, 18:00 or 2026-11-21T18:00Z'

/** The longest possible timer, in milliseconds: 24 days. */
const furthest = 2 ** 31 - 1

/**
 * A time without a zone is in this machine's zone; a time of day is its next occurrence. Throws UserError for anything else, for a past
 * time, and for one more than 24 days ahead.
 */
export function parseDeadline(text: string, now: Date): Date {
  const moment = parseFromNow(text, now) ?? timeOfDay(text, now) ?? parseMoment(text)
  if (moment === null || Number.isNaN(moment.getTime()))
    throw new UserError(`--deadline: expected a time, got "${text}"`, fix)
  const left = moment.getTime() - now.getTime()
  if (left <= 0) throw new UserError(`--deadline "${text}": ${moment.toISOString()} has passed`, 'use a later time')
  if (left > furthest)
    throw new UserError(`--deadline "${text}": more than 24 days ahead`, 'use an earlier time, or remove --deadline')
  return moment
}

/** Whether it is a date and time, which passes once and for all. */
export function isFixedDeadline(text: string): boolean {
  return parseMoment(text) !== null
}

/** Milliseconds left of a duration, by the monotonic clock; null: not a duration. */
export function startCountdown(text: string): (() => number) | null {
  const start = performance.now()
  const ms = parseFromNow(text, new Date(0))?.getTime()
  return ms === undefined ? null : () => ms - (performance.now() - start)
}

/** Milliseconds of a duration such as 15m, 1h30m or 2s, above 0; null: invalid. */
export function durationMs(text: string): number | null {
  const ms = parseFromNow(text, new Date(0))?.getTime() ?? 0
  return ms > 0 && Number.isSafeInteger(ms) ? ms : null
}

const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 } as const

function parseFromNow(text: string, now: Date): Date | null {
  const found = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text)
  if (found === null || text === '') return null
  const [, d = 0, h = 0, m = 0, s = 0] = found
  return new Date(now.getTime() + Number(d) * units.d + Number(h) * units.h + Number(m) * units.m + Number(s) * units.s)
}

function timeOfDay(text: string, now: Date): Date | null {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  if (hours === undefined || minutes === undefined) return null
  const today = new Date(now)
  today.setHours(Number(hours), Number(minutes), 0, 0)
  if (today.getTime() <= now.getTime()) today.setDate(today.getDate() + 1)
  return today
}

function parseMoment(text: string): Date | null {
  return /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(text) ? new Date(text) : null
}
