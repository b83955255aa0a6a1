/** The origin of a run or a judge's answer that was reused instead of paid for again. */
import * as z from 'zod'

export const cachedFrom = z.object({
  benchmark: z.string().describe('name of the benchmark folder it comes from'),
  at: z.iso.datetime().describe('when it was produced'),
  shared: z
    .literal(true)
    .optional()
    .describe('it came from the shared cache, so the benchmark may be on another machine'),
})

export type CachedFrom = z.infer<typeof cachedFrom>
