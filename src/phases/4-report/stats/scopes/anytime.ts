/** The scope of these cases with adaptive stopping (`--until decided`): the last interim analysis decides. */
import type { ScopeDifference } from '../../../../../schemas/benchmark_statistics.ts'
import { roundPValue } from '../numbers/round.ts'
import { analyzeBlocks } from '../power/group_sequential.ts'
import type { CaseScores } from '../scores/case_scores.ts'
import type { Sequential, StatisticsOptions } from '../statistics_options.ts'
import { describeMeans, emptyDifference, shareBounds } from './scope_difference.ts'
import { decideScope, type ScopeDecision } from './verdict.ts'

/** While no analysis has stopped the benchmark there is no p-value, and the verdict is `inconclusive`. */
export function anytimeScope(
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
