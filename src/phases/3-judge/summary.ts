/** The summary of a grading, counted from its verdicts and from nothing else. */
import type { GradedExpectation, GradingSummary } from '../../../schemas/grading.ts'

/** Counts; `pass_rate` = passed ÷ total, 0 when nothing was decided. Not rounded: skill-creator's aggregator takes means of it. */
export function summarize(expectations: readonly Pick<GradedExpectation, 'passed'>[]): GradingSummary {
  const total = expectations.length
  const passed = expectations.filter((one) => one.passed).length
  return {
    passed,
    failed: total - passed,
    total,
    pass_rate: total === 0 ? 0 : passed / total,
  }
}
