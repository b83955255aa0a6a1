/** The exit code of `bench`: 0 done, 1 a gate failed, 3 incomplete: a planned run without a grade (also one that the user excludes, if it could decide the verdict), or a case graded in one configuration only; 3 wins over 1. */
import type { SummarizedBenchmark } from '../../../flows/report/summarize.ts'
import { leftOutCases } from '../../../phases/4-report/benchmark/incomplete.ts'
import type { GateOutcome } from '../../../phases/4-report/gate/check_gates.ts'
import { exitCodes } from '../../exit_codes.ts'

export function benchExitCode({ benchmark, kept, unread }: SummarizedBenchmark, gates: readonly GateOutcome[]): number {
  const used = benchmark.counts?.used ?? 0
  const { statistics } = benchmark
  const isWhole =
    kept === undefined && unread === undefined && benchmark.complete === true && !statistics?.missing_grades
  // people chose which sessions there are
  const unpaired = benchmark.observational === true ? 0 : (statistics?.unpaired_cases?.length ?? 0)
  if (!isWhole || used === 0 || unpaired > 0 || leftOutCases(benchmark) !== null) return exitCodes.incomplete
  return gates.every(({ passed }) => passed) ? exitCodes.done : exitCodes.gateFailed
}
