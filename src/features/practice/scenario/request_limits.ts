/** A hidden limit of concurrent requests that changes over time: requests above it get 429. */
import * as z from 'zod'
import { strictObject } from './strict_schema.ts'

const step = strictObject({
  from_s: z.number().min(0).default(0),
  concurrent: z.number().int().min(0),
  retry_after: z.number().min(0).optional(),
})

/** Each step applies from its second (after the first request of a model) until the next one; before the first, nothing is limited. */
export const limitsSchema = z.array(step).superRefine((steps, context) => {
  for (const [index, { from_s }] of steps.entries()) {
    if (index > 0 && from_s <= (steps[index - 1]?.from_s ?? 0)) {
      context.addIssue({ code: 'custom', message: 'must be later than the one before', path: [index, 'from_s'] })
    }
  }
})

type Step = z.output<typeof step>

/** Keeps the time since the first request. */
export class MovingLimit {
  readonly #steps: readonly Step[]
  #began: number | null = null

  constructor(steps: readonly Step[]) {
    this.#steps = steps
  }

  /** The step that refuses a request at this concurrency; null: it may pass. */
  refuses(atOnce: number, now = performance.now()): Step | null {
    this.#began ??= now
    const seconds = (now - this.#began) / 1000
    const step = this.#steps.findLast(({ from_s }) => from_s <= seconds)
    return step !== undefined && atOnce > step.concurrent ? step : null
  }
}
