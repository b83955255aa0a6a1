/** A hidden limit of requests at once that moves with time: what is above it gets 429. */
import { z } from 'zod'
import { strict } from './strict.ts'

const step = strict({
  from_s: z.number().min(0).default(0),
  concurrent: z.number().int().min(0),
  retry_after: z.number().min(0).optional(),
})

/** Each holds from its second after the first request of a model until the next; before the first there is none. */
export const limits = z.array(step).superRefine((steps, context) => {
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

  /** The step that refuses one of so many requests at once now; null: it may pass. */
  refuses(atOnce: number, now = performance.now()): Step | null {
    this.#began ??= now
    const seconds = (now - this.#began) / 1000
    const step = this.#steps.findLast(({ from_s }) => from_s <= seconds)
    return step !== undefined && atOnce > step.concurrent ? step : null
  }
}
