/** How much the limit of a provider's account held work back; waits are not part of working time. */
import * as z from 'zod'

export const heldBack = z.object({
  refusals: z.number().int().nonnegative().describe('answers with status 429'),
  waited_ms: z.number().nonnegative().describe('for leave to send, for a limit to pass, before another try'),
})

export type HeldBack = z.infer<typeof heldBack>
