/** What a better score must not cost: more money, more time, or a case that is certainly worse. */
import type { GuardResult } from '../../../../schemas/history/certification.ts'
import { wilson } from '../stats/distributions/binomial.ts'
import { sampleMean } from '../stats/numbers/moments.ts'
import { round } from '../stats/numbers/round.ts'
import { computeRatio } from '../stats/scopes/ratio.ts'
import { formatPlural } from '../text/format.ts'
import type { PairedCase } from './compared_case.ts'

/** How much more a candidate may use than v0. */
export interface GuardMargins {
  /** Shares above the baseline's: 0.25 is 25% more. */
  cost: number
  time: number
  /** Goal cheaper: a pass rate lower by less than this counts as the same, from 0 to 1. */
  loss: number
}

export const usualMargins: GuardMargins = { cost: 0.25, time: 0.25, loss: 0.1 }

/** Smaller differences are never a reason to reject, whatever their ratio. */
const negligible = { usd: 0.001, seconds: 1, tokens: Number.NEGATIVE_INFINITY }

/** Passed: shown to stay below the margin. Not passed: above it, or the runs do not show that it is below. */
export function checkGuards(cases: readonly PairedCase[], margins: GuardMargins): GuardResult[] {
  return [
    amountGuard(cases, { name: 'cost_usd', unit: 'usd', margin: margins.cost, word: 'cost' }),
    amountGuard(cases, { name: 'time_seconds', unit: 'seconds', margin: margins.time, word: 'time' }),
    caseGuard(cases),
  ]
}

/** `--goal cheaper`: passed if the tokens are fewer for certain; null: too few runs to say. */
export function checkTokens(cases: readonly PairedCase[]): GuardResult {
  const found = amountGuard(cases, { name: 'tokens', unit: 'tokens', margin: 0, word: 'tokens' })
  const isRepeated = cases.every(({ tokens }) => Math.min(tokens.candidate.length, tokens.baseline.length) > 1)
  if (isRepeated) return found
  return {
    ...found,
    passed: null,
    message: 'tokens: each held-out case needs two runs of both versions to compare them',
  }
}

interface Amount {
  name: 'cost_usd' | 'time_seconds' | 'tokens'
  unit: 'usd' | 'seconds' | 'tokens'
  margin: number
  word: string
}

function amountGuard(cases: readonly PairedCase[], { name, unit, margin, word }: Amount): GuardResult {
  const limit = 1 + margin
  const told = (values: readonly (number | null)[]) => values.filter((value) => value !== null)
  const amounts = cases.map((one) => ({ candidate: told(one[unit].candidate), baseline: told(one[unit].baseline) }))
  const known = amounts.filter(({ candidate, baseline }) => candidate.length > 0 && baseline.length > 0)
  // a two-sided 90% interval: its upper end is the one-sided 95% bound
  const found = computeRatio(amounts, 0.1)
  if (found === null) {
    return {
      name,
      passed: null,
      ratio: null,
      ci_high: null,
      limit,
      message: `${word}: unknown for at least one version`,
    }
  }
  const high = found.high ?? found.ratio
  const more =
    sampleMean(known.map((one) => sampleMean(one.candidate))) - sampleMean(known.map((one) => sampleMean(one.baseline)))
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

/** Whether the whole interval is above the limit; on the log scale it is symmetric. */
export function isCertainlyWorse({ name, passed, ratio, ci_high: high, limit }: GuardResult): boolean {
  if (passed !== false) return false
  return name === 'cases' || (ratio !== null && high !== null && limit !== null && ratio ** 2 / high > limit)
}

/** A case is certainly worse if the Wilson intervals of its shares of passed runs do not overlap. */
function caseGuard(cases: readonly PairedCase[]): GuardResult {
  const counted = cases.map(({ evalId, passed }) => ({
    evalId,
    now: tally(passed.candidate),
    before: tally(passed.baseline),
  }))
  const worse = counted.filter(
    ({ now, before }) => wilson(now.k, now.n, 0.05).high < wilson(before.k, before.n, 0.05).low,
  )
  const shared = { name: 'cases' as const, ratio: null, ci_high: null, limit: null }
  if (worse.length === 0) return { ...shared, passed: true, message: 'no case got significantly worse' }
  const named = worse
    .slice(0, 5)
    .map(({ evalId, now, before }) => `${evalId} (${before.k} of ${before.n} → ${now.k} of ${now.n})`)
    .join(', ')
  return {
    ...shared,
    passed: false,
    message: `${formatPlural(worse.length, 'case')} got significantly worse: ${named}`,
  }
}

function tally(passed: readonly boolean[]): { k: number; n: number } {
  return { k: passed.filter(Boolean).length, n: passed.length }
}
