/** Computes the summary of a grading from its verdicts alone. */
import type { GradingSummary } from '../../../../schemas/grading.ts'
import { keepRated, type RatedVerdict, weightedPassRate } from '../../../../schemas/pass_rate.ts'

/** Diagnostics are in no number. `pass_rate` is not rounded, because skill-creator's aggregator averages it. */
export function summarizeGrading(expectations: readonly RatedVerdict[]): GradingSummary {
  const rated = keepRated(expectations)
  const total = rated.length
  const passed = rated.filter((one) => one.passed).length
  return {
    passed,
    failed: total - passed,
    total,
    pass_rate: weightedPassRate(rated),
  }
}
