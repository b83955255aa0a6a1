/** What `bench --dry-run --explain` says of the cache. */
import * as z from 'zod'
import { cachedFrom } from './cached_from.ts'

/** Why a planned run would be taken from the cache, or would have to run. */
export const cacheExplanation = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('reused'),
    run_id: z.string(),
    key: z.string(),
    from: cachedFrom,
    graded: z.boolean().describe('whether its grading is cached too'),
  }),
  z.object({
    status: z.literal('made'),
    run_id: z.string(),
    key: z.string().nullable().describe('null: unknown, because the engine could not be queried'),
    why: z.string(),
    nearest: z.string().nullable().describe('run_id of the most similar entry'),
    differs: z
      .array(z.object({ part: z.string(), was: z.string().nullable(), is: z.string().nullable() }))
      .describe('differences from that entry; null: missing on that side'),
  }),
])

export type CacheExplanation = z.infer<typeof cacheExplanation>
