/** The scope of these cases: the cases are fixed, their runs vary. It works for suites of any size with enough runs. */
import type { Scope, ScopeDifference } from '../../../../../schemas/benchmark_statistics.ts'
import { fewestRuns, isTooSmall, smallestPValue } from '../../../../base/smallest_design.ts'
import { normalQuantile } from '../distributions/quantiles.ts'
import { roundPValue } from '../numbers/round.ts'
import { analyzeBlocks } from '../power/group_sequential.ts'
import { untilAlpha } from '../power/look_schedule.ts'
import { type CaseScores, keepComparable } from '../scores/case_scores.ts'
import { type Sequential, type StatisticsOptions, usualPower } from '../statistics_options.ts'
import { moderatedT } from '../tests/moderated_t.ts'
import type { ScopeDecision } from './verdict.ts'
import { decideScope, describeArms, describeMeans, emptyDifference, shareBounds } from './verdict.ts'

export type ScopeNumbers = Omit<Scope, 'sentence'>

export function theseCases(cases: readonly CaseScores[], options: StatisticsOptions): ScopeNumbers {
  const known = keepComparable(cases)
  const { difference, ...decision } =
    options.sequential === null
      ? fixedSize(known, options)
      : anytimeScope(known, { ...options, sequential: options.sequential })
  return {
    difference,
    ...decision,
    needed_for_margin: decision.verdict === 'inconclusive' ? neededRuns(known, options) : null,
  }
}

function fixedSize(
  cases: readonly CaseScores[],
  options: StatisticsOptions,
): ScopeDecision & { difference: ScopeDifference } {
  const found = moderatedT(cases, options)
  if (found === null) {
    const difference = emptyDifference(cases)
    return { difference, ...decideScope(difference, options) }
  }
  const isSmall = isTooSmall(cases, options.alpha)
  const difference: ScopeDifference = {
    ...describeArms(cases),
    ...shareBounds(found),
    method: 'moderated_t',
    // a few runs cannot support a tiny p-value, however well they agree
    p_value: roundPValue(isSmall ? found.pValue : Math.max(found.pValue, smallestPValue(cases))),
    p_method: 'moderated_t',
  }
  const tooSmall = isSmall
    ? `even if all runs agreed, this design could not be significant: it needs at least ${fewestRuns(cases.length, options.alpha)} runs per case and configuration`
    : null
  return { difference, ...decideScope(difference, { ...options, tooSmall }) }
}

/** With more runs per case than this, advice is of no use. */
const mostAdvised = 500

/** Total runs per case and configuration with which a difference of `margin` is found with the usual power; null: too many, or enough. */
function neededRuns(cases: readonly CaseScores[], { alpha, margin, sequential }: StatisticsOptions): number | null {
  const found = moderatedT(cases, { alpha })
  if (found === null) return null
  const runs = Math.min(...cases.flatMap(({ candidate, baseline }) => [candidate.length, baseline.length]))
  const quantiles = normalQuantile(1 - (sequential ? untilAlpha(alpha) : alpha) / 2) + normalQuantile(usualPower)
  const byPower = Math.ceil(runs * ((quantiles * found.standardError) / margin) ** 2)
  const needed = Math.max(fewestRuns(cases.length, alpha), byPower)
  return needed <= runs || needed > mostAdvised ? null : needed
}

/** While no analysis has stopped the benchmark there is no p-value, and the verdict is `inconclusive`. */
function anytimeScope(
  cases: readonly CaseScores[],
  options: StatisticsOptions & { sequential: Sequential },
): ScopeDecision & { difference: ScopeDifference } {
  const last = analyzeBlocks(cases, options).at(-1)
  if (last === undefined || last.pairs === 0) {
    const difference = emptyDifference(cases)
    if (cases.length === 0) return { difference, ...decideScope(difference, options) }
    return {
      difference,
      verdict: 'inconclusive',
      rule: 'the first block of runs is not complete, so nothing is tested',
    }
  }
  const difference: ScopeDifference = {
    ...describeMeans(last.candidateMean, last.baselineMean),
    ...shareBounds(last.interval),
    method: 'repeated_interval',
    p_value: last.pValue === null ? null : roundPValue(last.pValue),
    p_method: last.pValue === null ? null : 'group_sequential',
    n_cases: cases.length,
    n_runs: 2 * last.pairs,
  }
  if (last.status === 'open')
    return { difference, verdict: 'inconclusive', rule: 'no interim analysis has stopped the benchmark' }
  const decision = decideScope(difference, options)
  if (last.status !== 'futile' || decision.verdict !== 'inconclusive') return { difference, ...decision }
  return { difference, verdict: 'inconclusive', rule: 'stopped early: more runs were unlikely to show a difference' }
}
