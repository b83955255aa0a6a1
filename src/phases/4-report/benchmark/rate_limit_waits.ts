/** How often provider rate limits delayed a benchmark, and for how long. */
import type { HeldBack } from '../../../../schemas/held_back.ts'
import type { RunWithGrading } from './aggregate_input.ts'

/** A shorter total wait is not reported, in milliseconds. */
const notable = 1000

/** Over runs and their judges, without cached ones: those waited in another benchmark. null: nothing to report. */
export function summarizeHeldBack(results: Iterable<Pick<RunWithGrading, 'record' | 'grading'>>): HeldBack | null {
  const sum = { refusals: 0, waited_ms: 0 }
  for (const { record, grading } of results) {
    const judge = grading?.judge
    const parts = [record?.cached_from ? null : record?.held_back, judge?.cached_from ? null : judge?.held_back]
    for (const part of parts) {
      sum.refusals += part?.refusals ?? 0
      sum.waited_ms += part?.waited_ms ?? 0
    }
  }
  return sum.refusals === 0 && sum.waited_ms < notable ? null : sum
}
