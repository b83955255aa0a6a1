/** The rate limiters of a benchmark, one for each provider account, and the events about their limits. */
import type { Engine } from '../../engines/engine.ts'
import type { RateChange } from '../../engines/limits/adaptive_limit.ts'
import { type Account, getAccount, openRateLimiter, type RateLimiter } from '../../engines/limits/rate_limiter.ts'
import { selectCredentials } from '../../engines/models/base_url.ts'
import type { FlowContext } from '../flow_context.ts'

export interface RateLimitOptions {
  /** false: requests are sent at once, and a rate limit error is an ordinary failure. */
  rateControl?: boolean | undefined
  /** Milliseconds without a byte after which a response counts as lost. */
  idleMs?: number | undefined
}

/** Disposing stops the events. */
export interface AccountLimiters extends Disposable {
  /** A run or judge begins; disposing ends it. `isIdle`: its waits count only from its first request on. */
  begin: (isIdle?: boolean) => RateLimitedWork
}

/** One run or one judge. */
export interface RateLimitedWork extends Disposable {
  gate: (engine: Engine, choice: Parameters<typeof selectCredentials>[1]) => RateLimiter
}

export function openAccountLimiters(options: RateLimitOptions | undefined, context: FlowContext): AccountLimiters {
  const watched = new Map<Account, () => void>()
  const watch = (account: Account) => {
    if (!watched.has(account)) watched.set(account, account.onChange(createLimitReporter(account.limit, context)))
    return account
  }
  return {
    begin(isIdle) {
      const work = context.waits?.begin(isIdle)
      return {
        gate(engine, choice) {
          if (engine.account === undefined || options?.rateControl === false) {
            return openRateLimiter(null, options?.idleMs, work)
          }
          const id = engine.account.of(selectCredentials(engine, choice, context.env), choice?.model ?? null)
          return openRateLimiter(watch(getAccount(id)), options?.idleMs, work)
        },
        [Symbol.dispose]: () => work?.[Symbol.dispose](),
      }
    },
    [Symbol.dispose]() {
      for (const stop of watched.values()) stop()
    },
  }
}

/** Reports a growing limit after growth by half, and a pause if it is a second longer than the last reported one. */
function createLimitReporter(limit: number, context: FlowContext): (change: RateChange) => void {
  const told = { limit, pausedUntil: Number.NEGATIVE_INFINITY }
  return (change) => {
    const pausedUntil = performance.now() + change.pauseMs
    const isNews =
      change.why === 'growing'
        ? change.limit >= told.limit * 1.5
        : change.limit !== told.limit || pausedUntil > told.pausedUntil + 1000
    if (!isNews) return
    told.limit = change.limit
    told.pausedUntil = Math.max(told.pausedUntil, pausedUntil)
    context.emit({ type: 'limit_changed', limit: change.limit, reason: describeRateChange(change) })
  }
}

function describeRateChange({ why, pauseMs }: RateChange): string {
  const span = formatPause(pauseMs)
  switch (why) {
    case 'growing':
      return 'the provider accepts more'
    case 'refused':
      return pauseMs > 0 ? `refused (429); pause of ${span}` : 'refused (429)'
    case 'asked_to_wait':
      return pauseMs > 0 ? `refused (429); the server asks for a pause of ${span}` : 'refused (429)'
    case 'used_up':
      return `the account's quota is used up for ${span}`
  }
}

/** Longer pauses are reported with their end, and with how to avoid the wait. */
const longMs = 3_600_000
/** The latest valid date. */
const lastMoment = 8.64e15

function formatPause(ms: number): string {
  if (ms <= longMs) return `${Math.ceil(ms / 100) / 10} s`
  const end = new Date(Math.min(lastMoment, Date.now() + ms)).toISOString()
  return `${Math.round(ms / longMs)} h, until ${end}; Ctrl-C or --deadline ends the wait earlier; finished runs are kept`
}
