/** Judge settings: the number of samples, and whether a pass requires verified evidence. */
import type { PlanOptions } from '../../../schemas/plan.ts'

/** null: as planned, else the default (once; flagged). */
export interface JudgingWish {
  samples: number | null
  requireEvidence: boolean | null
  /** How hard the judge thinks; absent: as planned, else its default. */
  effort?: string | null
}

type Judging = Pick<PlanOptions, 'judge_samples' | 'require_evidence'>

/** The options of a plan; omits defaults. */
export function resolveJudgingOptions(wish: JudgingWish | undefined, planned: Judging = {}): Judging {
  const samples = wish?.samples ?? planned.judge_samples ?? 1
  const isRequired = wish?.requireEvidence ?? planned.require_evidence ?? false
  return { judge_samples: samples > 1 ? samples : undefined, require_evidence: isRequired ? true : undefined }
}
