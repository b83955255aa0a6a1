/** The request and the results of eval. */
import type { EvalResult } from '../../../schemas/eval_result.ts'
import type { CostGuardrails } from '../../../schemas/golden.ts'
import type { Activation, Plan } from '../../../schemas/plan.ts'
import type { EvalSelection } from '../../phases/1-plan/suite/select_eval_cases.ts'
import type { CommandReview } from '../authorize/suite_commands.ts'
import type { Estimate } from '../estimate/estimate_bench.ts'
import type { StartRefusal } from '../prepare/preflight.ts'
import type { BenchRequest, PreparedBench } from '../prepare/prepare_bench.ts'

/** Fields are as in BenchRequest unless described here. */
export interface EvalRequest
  extends EvalSelection,
    Pick<
      BenchRequest,
      | 'model'
      | 'baseUrl'
      | 'liveMcp'
      | 'effort'
      | 'skillsFolder'
      | 'judge'
      | 'user'
      | 'judging'
      | 'concurrency'
      | 'maxTurns'
      | 'retries'
      | 'workspace'
      | 'passEnv'
      | 'limits'
      | 'sandbox'
      | 'backend'
      | 'pace'
      | 'cache'
      | 'transcripts'
      | 'remote'
      | 'links'
    > {
  /** A suite, or a folder that contains suites. */
  path: string
  /** Only suites with a change since this ref; absent or null: all. */
  changed?: string | null
  /** The only format to look for; null: any. */
  format: string | null
  /** null: the suite's, else auto. */
  engine: string | null
  /** null or absent: the suite's, else natural. */
  activation?: Activation | null
  /** null: the suite's, else 300 s. */
  timeoutSeconds: number | null
  /** Whether to keep the agents' working folders. */
  keep: boolean
  /** Start again even if an unfinished eval of the same plan exists. */
  fresh: boolean
  /** Files to write besides the results, checked before any paid call. Absent: none. */
  writes?: {
    /** --report: in this file; null: each in its default place. Absent: none. */
    report?: { output: string | null }
    /** Files of --output and --reporter, each with its flag; absolute. */
    files: readonly { flag: string; file: string }[]
  }
  /** Whether cases start from a copy of their files, in a format that can make one. */
  isolate: boolean
}

export interface PreparedEval extends PreparedBench {
  /** The subject under test: `root` is its folder. */
  root: string
  name: string
  version: string | null
  /** null: no cost caps. */
  guardrails: CostGuardrails | null
}

/** A suite that can't be read or run; the others continue. */
export interface BrokenSuite {
  place: string
  format: string
  error: Error
}

export interface EvalPlans {
  /** `refusals`: why the real start of one would be refused, first reason first. `estimate`: if all of it is run. */
  plans: (PreparedEval & { refusals: StartRefusal[]; review: CommandReview; estimate: Estimate })[]
  broken: BrokenSuite[]
}

export interface EvalsResult {
  results: (EvalResult & { plan: Plan })[]
  broken: BrokenSuite[]
}
