/** Adaptive stopping (`--until decided`): the interim analyses as `benchmark.json` has them. The same runs give the same result. */
import type { Until, UntilLook } from '../../../../../schemas/benchmark_statistics.ts'
import { formatPlural } from '../../text/format.ts'
import { round } from '../numbers/round.ts'
import { type CaseScores, keepComparable } from '../scores/case_scores.ts'
import type { Sequential, StatisticsOptions } from '../statistics_options.ts'
import { analyzeBlocks, type InterimAnalysis } from './group_sequential.ts'
import { scheduleLooks } from './look_schedule.ts'

/** The interim analyses that the finished blocks allow, up to the one that stops the benchmark. */
export function untilDecided(cases: readonly CaseScores[], sequential: Sequential, options: StatisticsOptions): Until {
  const looks = analyzeBlocks(keepComparable(cases), { ...options, sequential }).map(toUntilLook)
  const last = looks.at(-1)
  const blocks = last?.blocks ?? 0
  const stopped = last === undefined || last.status === 'open' ? null : last.status
  const next =
    stopped === null ? (scheduleLooks(sequential, options.alpha).looks.find((one) => one > blocks) ?? null) : null
  const reason = describeUntilEnd({ stopped, blocks, verdict: last?.verdict ?? null }, sequential)
  return { rule: 'decided', max_runs: sequential.maxRuns, blocks, next, stopped, reason, looks }
}

function toUntilLook({ blocks, pairs, wins, losses, ...found }: InterimAnalysis): UntilLook {
  const { candidateMean, baselineMean, predictivePower: power } = found
  const verdict = {
    significant: candidateMean > baselineMean ? ('helps' as const) : ('hurts' as const),
    no_difference: 'no_difference' as const,
    futile: 'inconclusive' as const,
    max_runs: 'inconclusive' as const,
    open: 'inconclusive' as const,
  }[found.status]
  const status = found.status === 'significant' || found.status === 'no_difference' ? 'decided' : found.status
  return { blocks, pairs, wins, losses, predictive_power: power === null ? null : round(power, 6), verdict, status }
}

interface UntilEnd extends Pick<Until, 'stopped' | 'blocks'> {
  verdict: UntilLook['verdict'] | null
}

function describeUntilEnd({ stopped, blocks, verdict }: UntilEnd, { maxRuns }: Sequential): string {
  const after = `stopped after ${formatPlural(blocks, 'block')}`
  switch (stopped) {
    case 'decided':
      return `${after}: decided (${verdict?.replaceAll('_', ' ')})`
    case 'futile':
      return `stopped early, after ${blocks} of at most ${formatPlural(maxRuns, 'block')}: more runs were unlikely to show a difference`
    case 'max_runs':
      return `${after}, the maximum of --max-runs: inconclusive`
    case null:
      return `inconclusive after ${blocks} of at most ${formatPlural(maxRuns, 'block')}`
  }
}
