/** Computes what skill-creator's own aggregator takes from a run, defects included, to explain numbers that differ from Whetstone's. */
import { type ForeignFields, pickNumber, toForeignFields } from './pick_values.ts'

export interface ReferenceNumbers {
  pass_rate: number
  time_seconds: number
  tokens: number
}

/** `timing`: the value of the timing.json next to the grading. Rates come only from the summary; missing times are 0. */
export function referenceNumbers(grading: ForeignFields, timing: unknown): ReferenceNumbers {
  const metrics = toForeignFields(grading.execution_metrics)
  const own = pickNumber(toForeignFields(grading.timing), ['total_duration_seconds']) ?? 0
  const beside = own === 0 ? toForeignFields(timing) : null
  const tokens = pickNumber(beside, ['total_tokens']) ?? 0
  return {
    pass_rate: pickNumber(toForeignFields(grading.summary), ['pass_rate']) ?? 0,
    time_seconds: own === 0 ? (pickNumber(beside, ['total_duration_seconds']) ?? 0) : own,
    tokens: tokens === 0 ? (pickNumber(metrics, ['output_chars']) ?? 0) : tokens,
  }
}
