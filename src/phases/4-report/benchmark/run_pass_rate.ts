/** The pass rate of a run in a benchmark, unrounded where its verdicts or counts are known. */
import type { BenchmarkRun } from '../../../../schemas/benchmark.ts'
import { isWeighted, weightedPassRate } from '../../../../schemas/pass_rate.ts'

/** From the verdicts if these have weights or scores, else from the counts; the run's own rate is rounded. */
export function runPassRate({ result, expectations }: Pick<BenchmarkRun, 'result' | 'expectations'>): number {
  if (result.total === 0) return result.pass_rate
  return isWeighted(expectations) ? weightedPassRate(expectations) : result.passed / result.total
}
