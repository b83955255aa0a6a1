/** What the aggregator gets: the plan's cases and runs, and what is known of each run. */
import type { AttemptLine } from '../../../schemas/attempts.ts'
import type { Grading } from '../../../schemas/grading.ts'
import type { Metrics } from '../../../schemas/metrics.ts'
import type { RunSpec } from '../../../schemas/plan.ts'
import type { CountedRecord } from '../../../schemas/run.ts'
import type { ChosenCases, SuiteCase } from '../../../schemas/suite.ts'
import type { Timing } from '../../../schemas/timing.ts'
import type { StatisticsOptions } from './stats/options.ts'

export type ReportCase = Pick<SuiteCase, 'eval_id' | 'eval_key' | 'eval_name' | 'cannot_run'> & {
  /** What the case is graded by. Both absent: not known here. Both empty: it is ungraded by design. */
  expectations?: readonly unknown[]
  checks?: readonly unknown[]
}

export type PlannedRun = Pick<RunSpec, 'run_id' | 'eval_id' | 'eval_name' | 'run_number'> & {
  configuration: string
  /** Why there is no result, where more is known than that it is missing. */
  missing?: string
}

export interface RunResult {
  /** Null: made by another tool, which keeps no record. */
  record: CountedRecord | null
  grading: Grading | null
  /** The same transcript graded again; absent: it was not. */
  again?: readonly Grading[]
  timing: Timing | null
  metrics: Metrics | null
}

export interface AggregateInput {
  metadata: {
    skillName: string
    skillPath: string
    executorModel: string
    /** The model that wrote notes; 'rules' when none did. */
    analyzerModel: string
    /** ISO 8601. */
    timestamp: string
    runsPerConfiguration: number
    engine?: string
    /** What the agent said of itself; null: nothing. */
    engineVersion?: string | null
    judge?: string | null
  }
  /** Configuration names. `baseline` null: one arm, nothing to compare with. */
  candidate: string
  baseline: string | null
  cases: readonly ReportCase[]
  /** Absent: they are the whole suite, as far as is known. */
  chosen?: ChosenCases
  planned: readonly PlannedRun[]
  /** By run_id; a planned run that is not in it is missing. */
  results: ReadonlyMap<string, RunResult>
  onTimeout: 'fail' | 'exclude'
  /** Attempts that do not count; absent: none. */
  otherAttempts?: readonly AttemptLine[]
  /** Stopped by looks (`--until decided`): blocks at most. Absent or null: the number of runs is fixed. */
  maxRuns?: number | null
  /** Changes to the usual alpha, seed and margin; what else is known. */
  statistics?: Partial<StatisticsOptions>
}
