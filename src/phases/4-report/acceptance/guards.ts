/** What a better score must not cost: more money, more time, or a case that is certainly worse. */
import type { GuardResult } from '../../../../schemas/history/certification.ts'
import { wilson } from '../stats/distributions/binomial.ts'
import { sampleMean } from '../stats/numbers/moments.ts'
import { round } from '../stats/numbers/round.ts'
import { computeRatio } from '../stats/scopes/ratio.ts'
import { keepComparable } from '../stats/scores/case_scores.ts'
import { formatPlural } from '../text/format.ts'
import type { PairedCase } from './compare_held_out.ts'

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
const negligible = { usd: 0.001, seconds: 1 }

/** Passed: by the estimate within the margin. An interval within it would take more runs than the gain itself. */
export function checkGuards(cases: readonly PairedCase[], margins: GuardMargins): GuardResult[] {
  return [
    amountGuard(cases, { name: 'cost_usd', unit: 'usd', margin: margins.cost, word: 'cost' }),
    amountGuard(cases, { name: 'time_seconds', unit: 'seconds', margin: margins.time, word: 'time' }),
    caseGuard(cases),
  ]
}

/** `--goal cheaper`: passed if the tokens are fewer for certain; null: unknown, or too few runs to say. */
export function checkTokens(cases: readonly PairedCase[]): GuardResult {
  const found = estimateAmountRatio(cases, 'tokens')
  const shared = { name: 'tokens' as const, limit: 1 }
  if (found === null) return { ...shared, ...unknown, message: 'tokens: unknown for at least one version' }
  const { high } = found
  if (high === null) {
    const message = 'tokens: each held-out case needs two runs of both versions to compare them'
    return { ...shared, passed: null, ...roundRatio(found), message }
  }
  const passed = high < 1
  const message = `${ratioText('tokens', found)}: ${passed ? 'within' : 'not shown to stay below'} × 1`
  return { ...shared, passed, ...roundRatio(found), message }
}

const unknown = { passed: null, ratio: null, ci_high: null }

interface AmountRatio {
  ratio: number
  /** Upper bound of the one-sided 95% interval; null: a case has too few runs. */
  high: number | null
  /** Candidate − v0, in the amount's unit. */
  more: number
}

function amountGuard(
  cases: readonly PairedCase[],
  {
    name,
    unit,
    margin,
    word,
  }: { name: 'cost_usd' | 'time_seconds'; unit: 'usd' | 'seconds'; margin: number; word: string },
): GuardResult {
  const found = estimateAmountRatio(cases, unit)
  const limit = 1 + margin
  if (found === null) return { name, limit, ...unknown, message: `${word}: unknown for at least one version` }
  const isWithin = found.ratio <= limit
  const passed = isWithin || found.more <= negligible[unit]
  const verdict = isWithin ? `within × ${limit}` : passed ? 'a difference too small to matter' : `above × ${limit}`
  return { name, limit, passed, ...roundRatio(found), message: `${ratioText(word, found)}: ${verdict}` }
}

/** null: not known for a version. */
export function estimateAmountRatio(
  cases: readonly PairedCase[],
  unit: 'usd' | 'seconds' | 'tokens',
): AmountRatio | null {
  const keepKnown = (values: readonly (number | null)[]) => values.filter((value) => value !== null)
  const known = keepComparable(
    cases.map((one) => ({ candidate: keepKnown(one[unit].candidate), baseline: keepKnown(one[unit].baseline) })),
  )
  // a two-sided 90% interval: its upper end is the one-sided 95% bound
  const found = computeRatio(known, 0.1)
  if (found === null) return null
  const isRepeated = known.every(({ candidate, baseline }) => Math.min(candidate.length, baseline.length) > 1)
  const [after, before] = (['candidate', 'baseline'] as const).map((side) =>
    sampleMean(known.map((one) => sampleMean(one[side]))),
  )
  // if nothing varies, the ratio is exact
  return {
    ratio: found.ratio,
    high: found.high ?? (isRepeated ? found.ratio : null),
    more: (after ?? 0) - (before ?? 0),
  }
}

function roundRatio({ ratio, high }: AmountRatio): Pick<GuardResult, 'ratio' | 'ci_high'> {
  return { ratio: round(ratio, 6), ci_high: high === null ? null : round(high, 6) }
}

/** "cost × 1.08, at most × 1.24". */
function ratioText(word: string, { ratio, high }: AmountRatio): string {
  return `${word} × ${ratio.toFixed(2)}${high === null ? '' : `, at most × ${high.toFixed(2)}`}`
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
