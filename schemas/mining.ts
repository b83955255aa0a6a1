/** The progress of `mine`. */
import * as z from 'zod'

export const mining = z.object({
  type: z.literal('mining'),
  step: z
    .enum(['reading', 'comparing', 'phrasing'])
    .describe('what is counted: files of a place, sessions, drafted cases'),
  done: z.number().int().nonnegative(),
  total: z.number().int().nonnegative(),
})
