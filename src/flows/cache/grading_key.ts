/** Computes the key of a grading from its plan. */
import type { Plan } from '../../../schemas/plan.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { hashGradingInputs } from '../../phases/3-judge/grade/grade_run.ts'

/** Empty `runKey`: the key covers only the criteria and the judge. */
export function computeGradingKey({ options }: Pick<Plan, 'options'>, one: SuiteCase, runKey: string): string {
  const { judge, on_timeout: onTimeout, judge_samples: samples, require_evidence: requireEvidence } = options
  const { fast_fail: fastFail } = options
  return hashGradingInputs({ runKey, case: one, judge, onTimeout, samples, requireEvidence, fastFail })
}
