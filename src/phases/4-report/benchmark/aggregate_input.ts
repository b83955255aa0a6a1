/** The input of the aggregator: the plan's cases and runs, and what is known of each run. */
import type { AttemptLine } from '../../../../schemas/attempts.ts'
import type { Grading } from '../../../../schemas/grading.ts'
import type { Metrics } from '../../../../schemas/metrics.ts'
import type { OlderRunsFile } from '../../../../schemas/older_runs.ts'
import type { RunSpec } from '../../../../schemas/plan.ts'
import type { CountedRecord } from '../../../../schemas/run.ts'
import type { ChosenCases, SuiteCase } from '../../../../schemas/suite.ts'
import type { Timing } from '../../../../schemas/timing.ts'
import type { StatisticsOptions } from '../stats/statistics_options.ts'

export type ReportCase = Pick<
  SuiteCase,
  'eval_id' | 'eval_key' | 'eval_name' | 'cannot_run' | 'owners' | 'quarantine'
> & {
  /** The case's criteria. Both absent: not known. Both empty: the case is ungraded by design. */
  expectations?: readonly unknown[]
  checks?: readonly unknown[]
}

export type PlannedRun = Pick<RunSpec, 'run_id' | 'eval_id' | 'eval_name' | 'run_number'> & {
  configuration: string
  /** Why there is no result, if more is known than that it is missing. */
  missing?: string
}

export interface RunWithGrading {
  /** null: another tool ran it and keeps no record. */
  record: CountedRecord | null
  grading: Grading | null
  /** Repeated gradings of the same transcript; absent: none. */
  again?: readonly Grading[]
  timing: Timing | null
  metrics: Metrics | null
}

export interface AggregateInput {
  metadata: {
    skillName: string
    skillPath: string
    executorModel: string
    /** The model that wrote the notes; 'rules' if none did. */
    analyzerModel: string
    /** ISO 8601. */
    timestamp: string
    runsPerConfiguration: number
    engine?: string
    /** The version that the agent reports; null: none. */
    engineVersion?: string | null
    judge?: string | null
  }
  /** Configuration names. `baseline` null: one configuration, nothing to compare with. */
  candidate: string
  baseline: string | null
  cases: readonly ReportCase[]
  /** Absent: the cases are the whole suite, as far as is known. */
  chosen?: ChosenCases
  /** Why the baseline is not simply what the user named; absent: it is. */
  baselineNote?: string
  /** True: the runs are recorded sessions. Absent: they were performed for the benchmark. */
  observational?: boolean
  planned: readonly PlannedRun[]
  /** By run_id; a planned run that is not in it is missing. */
  results: ReadonlyMap<string, RunWithGrading>
  onTimeout: 'fail' | 'exclude'
  /** Attempts that do not count; absent: none. */
  otherAttempts?: readonly AttemptLine[]
  /** The most blocks under adaptive stopping (`--until decided`). Absent or null: the number of runs is fixed. */
  maxRuns?: number | null
  /** What is known of older runs among these; absent or null: nothing. */
  olderRuns?: OlderRunsFile | null
  /** Overrides of the usual alpha, seed and margin, and further known values. */
  statistics?: Partial<StatisticsOptions>
}
