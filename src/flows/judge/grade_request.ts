/** The input for grading one run on disk. */
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import type { StoredRun } from '../../store/store.ts'
import type { JudgeCache } from '../cache/run_cache.ts'
import type { JudgeBatch } from '../judge_batch.ts'
import type { AccountLimiters } from '../limits/rate_limiters.ts'

export interface GradeRequest {
  plan: Plan
  folder: string
  spec: RunSpec
  stored: StoredRun
  passEnv: readonly string[]
  hidden: readonly string[]
  sandbox: SandboxChoice
  /** Grade even if the same grading exists. */
  again: boolean
  /** null: reuse and store nothing. */
  cache: JudgeCache | null
  pace: AccountLimiters
  /** Answers of the judge come in batches; absent or null: at once. */
  batch?: JudgeBatch | null
  /** True: the criteria match the existing grading, which any failed judge leaves in place. Absent: only the same key does. */
  keeps?: boolean
  /** True: the run on disk is not as this user signed it, so its grading gets no signature. Absent: it is. */
  isForeign?: boolean
  /** Checks that the run's data is complete, before grading; absent: it is known to be. */
  isWhole?: () => Promise<boolean>
}
