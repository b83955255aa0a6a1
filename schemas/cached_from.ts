/** Where a run or a judge's answer that was not paid for again comes from. */
import { z } from 'zod'

export const cachedFrom = z.object({
  benchmark: z.string().describe('the name of the benchmark folder that it was made for'),
  at: z.iso.datetime().describe('when it was made'),
})

export type CachedFrom = z.infer<typeof cachedFrom>
