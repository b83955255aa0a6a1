/** How often the limits of provider accounts held a benchmark back, and how long it waited for them. */
import type { HeldBack } from '../../../schemas/held_back.ts'
import type { RunResult } from './input.ts'

/** A wait of less in all is not worth a word, in milliseconds. */
const notable = 1000

/** Over runs and their judges; what the cache gave waited in another benchmark. null: nothing worth a word. */
export function heldBackIn(results: Iterable<Pick<RunResult, 'record' | 'grading'>>): HeldBack | null {
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
