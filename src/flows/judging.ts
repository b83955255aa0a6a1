/** How a judge is asked: how often, and whether a pass needs evidence that is found. */
import type { PlanOptions } from '../../schemas/plan.ts'

/** null: as planned, or as usual (once; flagged). */
export interface JudgingWish {
  samples: number | null
  requireEvidence: boolean | null
}

type Judging = Pick<PlanOptions, 'judge_samples' | 'require_evidence'>

/** The options of a plan; what is usual is left out. */
export function withJudging(wish: JudgingWish | undefined, planned: Judging = {}): Judging {
  const samples = wish?.samples ?? planned.judge_samples ?? 1
  const isRequired = wish?.requireEvidence ?? planned.require_evidence ?? false
  return { judge_samples: samples > 1 ? samples : undefined, require_evidence: isRequired ? true : undefined }
}
