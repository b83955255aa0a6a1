/** The statistics of recorded sessions: what was seen, without a test, because people chose when to use the skill. */
import type { Scope, ScopeDifference, Statistics } from '../../../../../schemas/benchmark_statistics.ts'
import { armNames, type BenchmarkArms, classifyArmPairing } from '../../benchmark/arms.ts'
import { notConcurrent } from '../../benchmark/older_runs/withhold_verdict.ts'
import { formatPlural, formatRates } from '../../text/format.ts'
import { judgeFavours } from '../scores/judge_corrections.ts'
import { readScopeRates } from './verdict_sentences.ts'

/** The rule of a scope of recorded sessions. */
const observational = 'observational'

/** What every report of recorded sessions says. */
export const observationalNote = 'Observational: people chose when to use the skill; differences may have other causes.'

/** Whether the scope has no verdict, whatever its numbers. */
export function isVerdictWithheld({ rule, verdict }: Pick<Scope, 'rule' | 'verdict'>): boolean {
  return verdict === 'incomplete' || [notConcurrent, observational, judgeFavours].includes(rule)
}

/** Means and intervals stay; p-values and verdicts go. */
export function withoutTests(statistics: Statistics, arms: BenchmarkArms): Statistics {
  const { scopes, expectations, price: _price, variance: _variance, ...described } = statistics
  return {
    ...described,
    scopes: scopes && {
      these_cases: describeOnly(scopes.these_cases, arms),
      cases_like_these: describeOnly(scopes.cases_like_these, arms),
    },
    expectations: expectations.map(({ p_value: _, p_adjusted: __, ...shown }) => shown),
    comparisons: [],
  }
}

function describeOnly(scope: Scope, arms: BenchmarkArms): Scope {
  const difference = { ...scope.difference, p_value: null, p_method: null }
  if (scope.verdict === 'incomplete') return { ...scope, difference }
  return {
    difference,
    verdict: scope.verdict === 'not_comparable' ? 'not_comparable' : 'inconclusive',
    rule: observational,
    sentence: `${observationalNote} ${describeDifference(difference, arms)}`,
    needed_for_margin: null,
  }
}

function describeDifference(difference: ScopeDifference, arms: BenchmarkArms): string {
  const rates = readScopeRates(difference, { cases: [] })
  if (rates === null) return 'No case has graded sessions in both configurations.'
  const shown = formatRates(rates.candidate, rates.baseline)
  const names = classifyArmPairing(arms) === 'skill' ? ['with the skill', 'without'] : armNames(arms)
  const sample = `${formatPlural(difference.n_runs, 'session')}, ${formatPlural(difference.n_cases, 'case')}; no test`
  return `Pass rate ${shown.candidate} ${names[0]}, ${shown.baseline} ${names[1]}: ${shown.difference} points (${sample}).`
}
