/** A mean of shares of queries with its interval. */
import type { TriggerShare } from '../../../../../schemas/triggers.ts'
import { wilson } from '../../stats/distributions/binomial.ts'
import { triggerAlpha } from '../result.ts'

/** Wilson's interval counts the queries: runs of one query are alike. At least one share. */
export function meanShare(shares: readonly number[], weights: readonly number[] = shares.map(() => 1)): TriggerShare {
  const total = weights.reduce((sum, one) => sum + one, 0)
  const value = Math.min(1, shares.reduce((sum, one, at) => sum + one * (weights[at] ?? 0), 0) / total)
  const { low, high } = wilson(value * shares.length, shares.length, triggerAlpha)
  return { value, ci_low: low, ci_high: high, n: shares.length }
}
