/** The verdict of a scope from its interval and its test, and the rule that gave it. */
import type { ScopeDifference, Verdict } from '../../../../schemas/benchmark_statistics.ts'
import type { StatisticsOptions } from './options.ts'
import { fixed } from './round.ts'

export interface Decision {
  verdict: Verdict
  rule: string
}

/** The same rule in both scopes, once an interval is offered. */
export function decide(difference: ScopeDifference, { alpha, margin }: StatisticsOptions): Decision {
  const { ci_low: low, ci_high: high, p_value: p, method, p_method } = difference
  if (low === null || high === null || p === null) {
    return { verdict: 'inconclusive', rule: 'no interval is offered, so nothing is decided' }
  }
  const test = `${p_method} p ≤ ${alpha} and the ${method} interval`
  if (p <= alpha && low > 0) return { verdict: 'helps', rule: `${test} lies above 0` }
  if (p <= alpha && high < 0) return { verdict: 'hurts', rule: `${test} lies below 0` }
  if (low > -margin && high < margin) {
    return { verdict: 'no_difference', rule: `the ${method} interval lies inside ± ${fixed(margin, 2)}` }
  }
  return {
    verdict: 'inconclusive',
    rule: `neither ${test} clear of 0 nor that interval inside ± ${fixed(margin, 2)}`,
  }
}
