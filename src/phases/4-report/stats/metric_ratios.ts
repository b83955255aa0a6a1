/** The ratios of time, tokens and cost between the arms, over the runs in which they are known. */
import type { Statistics } from '../../../../schemas/benchmark_statistics.ts'
import { ratioOf } from './ratio.ts'
import { round } from './round.ts'
import type { ScoredCase, ScoredRun } from './scored.ts'

type Metric = keyof Statistics['ratios']

export function metricRatios(cases: readonly ScoredCase[], alpha: number): Statistics['ratios'] {
  const of = (metric: Metric) => {
    const known = cases.map(({ runs }) => ({
      candidate: valuesOf(runs.candidate, metric),
      baseline: valuesOf(runs.baseline, metric),
    }))
    const found = ratioOf(known, alpha)
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

function valuesOf(runs: readonly ScoredRun[], metric: Metric): number[] {
  const values: number[] = [] // once for each of very many cells, so no list for each run
  for (const { run } of runs) {
    const value = run.result[metric] ?? null
    if (value !== null) values.push(value)
  }
  return values
}
