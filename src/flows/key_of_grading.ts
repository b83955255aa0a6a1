/** The key of a grading, from the plan that it belongs to. */
import type { Plan } from '../../schemas/plan.ts'
import type { SuiteCase } from '../../schemas/suite.ts'
import { gradedKey } from '../phases/3-judge/grade.ts'

/** `runKey` empty: of the criteria and of who decides them alone. */
export function keyOfGrading({ options }: Pick<Plan, 'options'>, one: SuiteCase, runKey: string): string {
  const { judge, on_timeout: onTimeout, judge_samples: samples, require_evidence: requireEvidence } = options
  const { fast_fail: fastFail } = options
  return gradedKey({ runKey, case: one, judge, onTimeout, samples, requireEvidence, fastFail })
}
