/** The key of a grading, from the plan that it belongs to. */
import type { Plan } from '../../schemas/plan.ts'
import type { SuiteCase } from '../../schemas/suite.ts'
import { gradedKeys } from '../phases/3-judge/grade.ts'

/** The case that was asked for last: the runs of one are asked for one after the other. */
let last: { options: Plan['options']; one: SuiteCase; keyOf: (runKey: string) => string } | null = null

/** `runKey` empty: of the criteria and of who decides them alone. */
export function keyOfGrading({ options }: Pick<Plan, 'options'>, one: SuiteCase, runKey: string): string {
  if (last?.options !== options || last.one !== one) last = { options, one, keyOf: keysOf(options, one) }
  return last.keyOf(runKey)
}

function keysOf(options: Plan['options'], one: SuiteCase): (runKey: string) => string {
  const { judge, on_timeout: onTimeout, judge_samples: samples, require_evidence: requireEvidence } = options
  const { fast_fail: fastFail } = options
  return gradedKeys({ case: one, judge, onTimeout, samples, requireEvidence, fastFail })
}
