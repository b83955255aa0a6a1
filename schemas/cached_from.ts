/** The origin of a run or a judge's answer that was reused instead of paid for again. */
import * as z from 'zod'

export const cachedFrom = z.object({
  benchmark: z.string().describe('the name of the benchmark folder that it was made for'),
  at: z.iso.datetime().describe('when it was made'),
})

export type CachedFrom = z.infer<typeof cachedFrom>
