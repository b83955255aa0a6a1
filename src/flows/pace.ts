/** The pace of a benchmark: a gate before each provider account it uses, and what is told of its limits. */

import { credentialsOf } from '../engines/base_url.ts'
import type { Engine } from '../engines/engine.ts'
import { type Gate, openGate } from '../engines/gate.ts'
import type { Account } from '../jobs/rate/account.ts'
import { accountOf } from '../jobs/rate/accounts.ts'
import type { RateChange } from '../jobs/rate.ts'
import type { FlowContext } from './context.ts'

export interface PaceOptions {
  /** false: every request is sent at once, and a refusal is a failure like another. */
  rateControl?: boolean | undefined
  /** Milliseconds after which a response without a byte counts as never coming. */
  idleMs?: number | undefined
}

/** Its end stops the telling. */
export interface Pace extends Disposable {
  /** A gate for one run or one judge of this engine, chosen so. */
  gate: (engine: Engine, choice: Parameters<typeof credentialsOf>[1]) => Gate
}

export function openPace(options: PaceOptions | undefined, context: FlowContext): Pace {
  const watched = new Map<Account, () => void>()
  const watch = (account: Account) => {
    if (!watched.has(account)) watched.set(account, account.onChange(teller(account.limit, context)))
    return account
  }
  return {
    gate(engine, choice) {
      if (engine.account === undefined || options?.rateControl === false) return openGate(null, options?.idleMs)
      const id = engine.account.of(credentialsOf(engine, choice, context.env))
      return openGate(watch(accountOf(id)), options?.idleMs)
    },
    [Symbol.dispose]() {
      for (const stop of watched.values()) stop()
    },
  }
}

/** A limit that grows is told of when it has grown by half; a pause, when it is a second longer than the one told of. */
function teller(limit: number, context: FlowContext): (change: RateChange) => void {
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
    context.emit({ type: 'limit_changed', limit: change.limit, reason: reasonOf(change) })
  }
}

function reasonOf({ why, pauseMs }: RateChange): string {
  const span = spanOf(pauseMs)
  switch (why) {
    case 'growing':
      return 'more is borne'
    case 'refused':
      return pauseMs > 0 ? `refused (429); pause of ${span}` : 'refused (429)'
    case 'asked_to_wait':
      return pauseMs > 0 ? `refused (429); the server asks for a pause of ${span}` : 'refused (429)'
    case 'used_up':
      return `the account's quota is used up for ${span}`
  }
}

/** From so long on it is said when it is over, and how not to wait for that. */
const longMs = 3_600_000
/** The last moment that a date can be. */
const lastMoment = 8.64e15

function spanOf(ms: number): string {
  if (ms <= longMs) return `${Math.ceil(ms / 100) / 10} s`
  const end = new Date(Math.min(lastMoment, Date.now() + ms)).toISOString()
  return `${Math.round(ms / longMs)} h, until ${end}; Ctrl-C ends this before (--deadline does by itself), and what was finished is kept`
}
