/** What eval is asked for, and what comes of it. */
import type { EvalResult } from '../../../schemas/eval_result.ts'
import type { CostGuardrails } from '../../../schemas/golden.ts'
import type { Plan } from '../../../schemas/plan.ts'
import type { EvalSelection } from '../../phases/1-plan/select_eval.ts'
import type { BenchRequest, Prepared } from '../prepare.ts'

/** As of BenchRequest, where not said otherwise. */
export interface EvalRequest
  extends EvalSelection,
    Pick<
      BenchRequest,
      | 'model'
      | 'baseUrl'
      | 'judge'
      | 'judging'
      | 'concurrency'
      | 'maxTurns'
      | 'retries'
      | 'workspace'
      | 'passEnv'
      | 'limits'
      | 'sandbox'
      | 'pace'
      | 'cache'
      | 'queue'
    > {
  /** A suite, or a folder that holds some. */
  path: string
  /** The only format that is looked for; null: any. */
  format: string | null
  /** null: as the suite says, else auto. */
  engine: string | null
  /** null: as the suite says, else 300 s. */
  timeoutSeconds: number | null
  /** Whether the working folders of the agents are kept. */
  keep: boolean
  /** Start anew even where an unfinished eval of the same plan lies. */
  fresh: boolean
  /** What is to be written besides the results, looked at before anything is paid for. Absent: nothing. */
  writes?: {
    /** --report: in this file; null: each in its own place. Absent: none. */
    report?: { output: string | null }
    /** Of --output and --reporter, with the flag that names each; absolute. */
    files: readonly { flag: string; file: string }[]
  }
  /** Whether golden tests start from a snapshot of their vault. */
  isolate: boolean
}

export interface PreparedEval extends Prepared {
  /** Of the suite: what is under test, where it lies. */
  root: string
  name: string
  version: string | null
  /** null: it may cost what it takes. */
  guardrails: CostGuardrails | null
}

/** A suite that can't be read or run; the others go on. */
export interface BrokenSuite {
  place: string
  format: string
  error: Error
}

export interface EvalPlans {
  plans: PreparedEval[]
  broken: BrokenSuite[]
}

export interface EvalsResult {
  results: (EvalResult & { plan: Plan })[]
  broken: BrokenSuite[]
}
