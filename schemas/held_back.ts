/** How much the limit of a provider's account held work back; waits are not part of working time. */
import * as z from 'zod'

export const heldBack = z.object({
  refusals: z.number().int().nonnegative().describe('responses with status 429'),
  waited_ms: z
    .number()
    .nonnegative()
    .describe('time spent waiting for the rate limiter, for a limit to reset and before retries'),
})

export type HeldBack = z.infer<typeof heldBack>
