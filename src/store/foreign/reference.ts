/** What skill-creator's own aggregator takes from a run, defects and all: it explains numbers that differ from ours. */
import { type Fields, fieldsOf, numberIn } from './pick.ts'

export interface ReferenceNumbers {
  pass_rate: number
  time_seconds: number
  tokens: number
}

/** `timing`: the value of the timing.json beside the grading. Rates come from the summary only, missing times are 0. */
export function referenceNumbers(grading: Fields, timing: unknown): ReferenceNumbers {
  const metrics = fieldsOf(grading.execution_metrics)
  const own = numberIn(fieldsOf(grading.timing), ['total_duration_seconds']) ?? 0
  const beside = own === 0 ? fieldsOf(timing) : null
  const tokens = numberIn(beside, ['total_tokens']) ?? 0
  return {
    pass_rate: numberIn(fieldsOf(grading.summary), ['pass_rate']) ?? 0,
    time_seconds: own === 0 ? (numberIn(beside, ['total_duration_seconds']) ?? 0) : own,
    tokens: tokens === 0 ? (numberIn(metrics, ['output_chars']) ?? 0) : tokens,
  }
}
