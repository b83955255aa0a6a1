/** Recall, precision and similar metrics over a set of queries, each with its interval. */
import type { TriggerMetrics, TriggerResult, TriggerShare } from '../../../../schemas/triggers.ts'
import { wilson } from '../stats/distributions/binomial.ts'
import { triggerAlpha } from './result.ts'

type CountedQuery = Pick<TriggerResult, 'should_trigger' | 'trigger_rate' | 'triggers' | 'runs' | 'pass'>

/**
 * Queries without an answer are excluded. Runs of one query are alike, so the intervals count queries. A mean of n rates in [0, 1] varies
 * at most as much as n yes-or-no answers with that mean, for which Wilson's interval is valid.
 */
export function computeTriggerMetrics(results: readonly CountedQuery[]): TriggerMetrics {
  const decided = results.filter(({ runs }) => runs > 0)
  const positive = decided.filter(({ should_trigger }) => should_trigger)
  const negative = decided.filter(({ should_trigger }) => !should_trigger)
  const triggered = (of: readonly CountedQuery[]) => of.reduce((sum, { triggers }) => sum + triggers, 0)
  const asked = (of: readonly CountedQuery[]) => of.reduce((sum, { runs }) => sum + runs, 0)
  const [hits, alarms] = [triggered(positive), triggered(negative)]
  const everTriggered = decided.filter(({ triggers }) => triggers > 0).length
  return {
    matrix: {
      true_positive: hits,
      false_negative: asked(positive) - hits,
      false_positive: alarms,
      true_negative: asked(negative) - alarms,
    },
    recall: meanRate(positive),
    precision: everTriggered === 0 ? null : toTriggerShare(hits / (hits + alarms), everTriggered),
    false_trigger_rate: meanRate(negative),
    accuracy:
      decided.length === 0
        ? null
        : toTriggerShare(decided.filter(({ pass }) => pass === true).length / decided.length, decided.length),
    method: 'wilson over queries',
  }
}

function meanRate(of: readonly CountedQuery[]): TriggerShare | null {
  if (of.length === 0) return null
  return toTriggerShare(of.reduce((sum, { trigger_rate }) => sum + (trigger_rate ?? 0), 0) / of.length, of.length)
}

function toTriggerShare(value: number, n: number): TriggerShare {
  const { low, high } = wilson(value * n, n, triggerAlpha)
  return { value, ci_low: low, ci_high: high, n }
}
