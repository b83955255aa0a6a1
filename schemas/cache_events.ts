/** Events about the caches of a benchmark. */
import * as z from 'zod'

export const runsReused = z.object({
  type: z.literal('runs_reused'),
  runs: z.number().int().positive(),
  planned: z.number().int(),
  oldest: z.iso.datetime().describe('when the oldest of them ran'),
  by_configuration: z.record(z.string(), z.number().int()),
  shared: z.number().int().positive().optional().describe('how many came from the shared cache; absent: none'),
})

export const foreignResults = z.object({
  type: z.literal('foreign_results'),
  place: z.string().describe('the file or folder, absolute'),
  message: z.string().describe('what is there and was not signed by this user; it is not used'),
})

export const sharedCacheTrouble = z.object({
  type: z.literal('shared_cache_trouble'),
  place: z.string().describe('the folder'),
  message: z.string().describe('what failed or is not used; the benchmark continues'),
})
