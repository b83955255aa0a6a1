/** Flags that limit a benchmark's spending and end time, and what a deadline may be. */
import { UserError } from '../../../base/errors/error.ts'
import type { Limits } from '../../../flows/limits/limits.ts'
import { type Flags, limit, numeric, onOff, power, powerPath, text, whole } from './flag.ts'

const isDollars = (sum: number) => sum > 0 && sum <= 1e6
const dollars = (flag: string) => numeric(flag, isDollars, 'an amount in dollars above 0', '2.50')
const atLeastZero = (flag: string) => numeric(flag, (sum) => sum >= 0, 'a number of at least 0', '5 (0: always ask)')

export const pricesFlag = {
  prices: {
    ...text,
    trust: powerPath('changes what a run counts towards the budget'),
    forAll: true,
    describe: 'file with your prices of models (YAML or JSON)',
  },
} satisfies Flags

export const spendingFlags = {
  budget: {
    ...dollars('budget'),
    section: 'Limits',
    trust: limit('spends more than your own file allows'),
    forAll: true,
    describe: 'stop starting runs at this cost in dollars',
  },
  'budget-tokens': {
    ...whole('budget-tokens', 1, 1e12),
    trust: limit('spends more than your own file allows'),
    forAll: true,
    describe: 'stop starting runs after this many tokens',
  },
  'cost-per-run': {
    ...dollars('cost-per-run'),
    trust: power('changes what a run counts towards the budget'),
    forAll: true,
    describe: 'assumed cost (USD) of a run that reports none',
  },
  ...pricesFlag,
  deadline: {
    ...text,
    section: 'Limits',
    trust: limit('runs longer than your own file allows'),
    forAll: true,
    describe: 'cancel what still runs at this time: 30m or 18:00',
  },
} satisfies Flags

export const confirmFlags = {
  'ask-above-cost': {
    ...atLeastZero('ask-above-cost'),
    default: 5,
    section: 'Planning',
    trust: limit('spends more before you are asked'),
    forAll: true,
    describe: 'ask before spending more dollars than this',
  },
  'ask-above-minutes': {
    ...atLeastZero('ask-above-minutes'),
    default: 30,
    section: 'Planning',
    trust: limit('runs longer before you are asked'),
    forAll: true,
    describe: 'ask before running for more minutes than this',
  },
  yes: { ...onOff, alias: 'y', section: 'Common', describe: 'answer yes to all questions' },
} satisfies Flags

interface LimitArguments {
  budget?: number | undefined
  budgetTokens?: number | undefined
  costPerRun?: number | undefined
  deadline?: string | undefined
}

/** Throws UserError for a deadline that is invalid or has passed. */
export function parseLimits({ budget, budgetTokens, costPerRun, deadline }: LimitArguments): Limits {
  const left = deadline === undefined ? null : startCountdown(deadline)
  return {
    ...(left !== null && { deadlineLeft: left }),
    budget: budget ?? null,
    budgetTokens: budgetTokens ?? null,
    costPerRun: costPerRun ?? null,
    deadline: deadline === undefined ? null : parseDeadline(deadline, new Date()),
  }
}

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
