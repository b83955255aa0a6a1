/** Ratios of time, tokens and cost between the arms, over the runs with known values. */
import type { Statistics } from '../../../../../schemas/benchmark_statistics.ts'
import { round } from '../numbers/round.ts'
import type { ScoredCase, ScoredRun } from '../scores/scored_runs.ts'
import { computeRatio } from './ratio.ts'

type Metric = keyof Statistics['ratios']

export function metricRatios(cases: readonly ScoredCase[], alpha: number): Statistics['ratios'] {
  const of = (metric: Metric) => {
    const known = cases.map(({ runs }) => ({
      candidate: readMetricValues(runs.candidate, metric),
      baseline: readMetricValues(runs.baseline, metric),
    }))
    const found = computeRatio(known, alpha)
    if (found === null) return null
    const { low, high } = found
    return {
      ratio: round(found.ratio, 6),
      ci_low: low === null ? null : round(low, 6),
      ci_high: high === null ? null : round(high, 6),
      method: 'log_ratio_t' as const,
      n_cases: found.cases,
    }
  }
  return { time_seconds: of('time_seconds'), tokens: of('tokens'), cost_usd: of('cost_usd') }
}

function readMetricValues(runs: readonly ScoredRun[], metric: Metric): number[] {
  return runs.flatMap(({ run }) => run.result[metric] ?? [])
}
