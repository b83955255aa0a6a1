/** What the rules for notes read. */
import type { Benchmark, CaseRow, ExcludedRun, RunCounts } from '../../../../../schemas/benchmark.ts'
import type { JudgeError } from '../../../../../schemas/grading.ts'
import type { BenchmarkArms } from '../../benchmark/arms.ts'

/** The parts of a benchmark that rules read, and what the benchmark does not contain. */
export interface NoteParts
  extends Pick<
    Benchmark,
    | 'metadata'
    | 'observational'
    | 'runs'
    | 'reused'
    | 'held_back'
    | 'suspended'
    | 'statistics'
    | 'other_attempts'
    | 'engine_versions'
    | 'further_calls'
  > {
  counts: RunCounts
  cases: readonly CaseRow[]
  excluded_runs: readonly ExcludedRun[]
  arms: BenchmarkArms
  cannotRun: readonly { eval_id: number; eval_name: string; reason: string }[]
  /** The expectations that no judge could decide, for each run with some. */
  undecided: readonly (readonly JudgeError[])[]
}
