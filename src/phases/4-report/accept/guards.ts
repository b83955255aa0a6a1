/** What a better score may not be bought with: cost, time, a case that certainly got worse. */
import type { GateResult } from '../../../../schemas/history/gate.ts'
import { wilson } from '../stats/binomial.ts'
import { meanOf } from '../stats/moments.ts'
import { ratioOf } from '../stats/ratio.ts'
import { round } from '../stats/round.ts'
import { plural } from '../words.ts'
import type { MetCase } from './met_case.ts'

type Guard = GateResult['guards'][number]

/** How much more a candidate may take. */
export interface Margins {
  /** Shares above the incumbent's: .25 is 25 % more. */
  cost: number
  time: number
}

export const usualMargins: Margins = { cost: 0.25, time: 0.25 }

/** Differences below it are no reason to refuse anything, whatever their ratio. */
const negligible = { usd: 0.001, seconds: 1 }

/** Passed: shown to stay below the margin. Not passed: it is above it, or the runs do not show that it is not. */
export function guardsOf(cases: readonly MetCase[], margins: Margins): Guard[] {
  return [
    amountGuard(cases, { name: 'cost_usd', unit: 'usd', margin: margins.cost, word: 'cost' }),
    amountGuard(cases, { name: 'time_seconds', unit: 'seconds', margin: margins.time, word: 'time' }),
    caseGuard(cases),
  ]
}

interface Amount {
  name: 'cost_usd' | 'time_seconds'
  unit: 'usd' | 'seconds'
  margin: number
  word: string
}

function amountGuard(cases: readonly MetCase[], { name, unit, margin, word }: Amount): Guard {
  const limit = 1 + margin
  const told = (values: readonly (number | null)[]) => values.filter((value) => value !== null)
  const amounts = cases.map((one) => ({ candidate: told(one[unit].candidate), baseline: told(one[unit].baseline) }))
  const known = amounts.filter(({ candidate, baseline }) => candidate.length > 0 && baseline.length > 0)
  // two-sided 90 %: its upper end is the one-sided 95 % bound
  const found = ratioOf(amounts, 0.1)
  if (found === null) {
    return { name, passed: null, ratio: null, ci_high: null, limit, message: `${word}: not known for both versions` }
  }
  const high = found.high ?? found.ratio
  const more = meanOf(known.map((one) => meanOf(one.candidate))) - meanOf(known.map((one) => meanOf(one.baseline)))
  const isNegligible = more <= negligible[unit]
  const passed = high < limit || isNegligible
  const size = `${word} × ${found.ratio.toFixed(2)}, at most × ${high.toFixed(2)}`
  const message =
    high < limit
      ? `${size}: within × ${limit}`
      : passed
        ? `${size}: a difference too small to matter`
        : `${size}: not shown to stay below × ${limit}`
  return { name, passed, ratio: round(found.ratio, 6), ci_high: round(high, 6), limit, message }
}

/** Whether the interval lies above the limit as a whole, and not only in part; on the log scale it is symmetric. */
export function isCertainlyWorse({ name, passed, ratio, ci_high: high, limit }: Guard): boolean {
  if (passed !== false) return false
  return name === 'cases' || (ratio !== null && high !== null && limit !== null && ratio ** 2 / high > limit)
}

/** A case regressed for certain where the Wilson intervals of the runs that passed do not meet. */
function caseGuard(cases: readonly MetCase[]): Guard {
  const counted = cases.map(({ evalId, passed }) => ({
    evalId,
    now: tally(passed.candidate),
    before: tally(passed.baseline),
  }))
  const worse = counted.filter(
    ({ now, before }) => wilson(now.k, now.n, 0.05).high < wilson(before.k, before.n, 0.05).low,
  )
  const shared = { name: 'cases' as const, ratio: null, ci_high: null, limit: null }
  if (worse.length === 0) return { ...shared, passed: true, message: 'no case got worse for certain' }
  const named = worse
    .slice(0, 5)
    .map(({ evalId, now, before }) => `${evalId} (${before.k} of ${before.n} → ${now.k} of ${now.n})`)
    .join(', ')
  return { ...shared, passed: false, message: `${plural(worse.length, 'case')} got worse for certain: ${named}` }
}

function tally(passed: readonly boolean[]): { k: number; n: number } {
  return { k: passed.filter(Boolean).length, n: passed.length }
}
