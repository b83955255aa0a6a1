/** `history.json`: the improve loop, version by version. */
import { z } from 'zod'

export const history = z.looseObject({
  started_at: z.string(),
  skill_name: z.string(),
  current_best: z.string(),
  iterations: z.array(
    z.looseObject({
      version: z.string(),
      parent: z.string().nullable(),
      expectation_pass_rate: z.number().min(0).max(1),
      grading_result: z.enum(['baseline', 'won', 'lost', 'tie']),
      is_current_best: z.boolean(),
      cost_usd: z
        .number()
        .nonnegative()
        .nullable()
        .optional()
        .describe('what the iteration cost besides its benchmarks; null: unknown'),
      ended_at: z.iso.datetime().optional(),
    }),
  ),
})

export type History = z.infer<typeof history>
