/** The summary of a grading, counted from its verdicts and from nothing else. */
import type { GradedExpectation, GradingSummary } from '../../../schemas/grading.ts'

/** Counts; `pass_rate` = passed ÷ total to 4 places, 0 when nothing was decided. */
export function summarize(expectations: readonly Pick<GradedExpectation, 'passed'>[]): GradingSummary {
  const total = expectations.length
  const passed = expectations.filter((one) => one.passed).length
  return {
    passed,
    failed: total - passed,
    total,
    pass_rate: total === 0 ? 0 : Math.round((passed / total) * 1e4) / 1e4,
  }
}
