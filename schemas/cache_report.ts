/** What `whetstone cache stats` and `cache prune` report about the caches below a folder. */
import * as z from 'zod'
import { cachedFrom } from './cached_from.ts'

const amount = z.object({ entries: z.number().int().nonnegative(), bytes: z.number().int().nonnegative() })

export const cacheStats = z.object({
  workspace: z.string().describe('absolute path of the folder that contains .cache'),
  runs: amount.describe('cached runs with their gradings'),
  answers: amount.describe("judges' answers"),
  damaged: z.number().int().nonnegative().describe('unreadable entries'),
  oldest: z.iso.datetime().nullable().describe('when the oldest run took place'),
  newest: z.iso.datetime().nullable(),
  by: z.array(amount.extend({ skill: z.string(), engine: z.string(), model: z.string().nullable() })),
  last_bench: z
    .object({ benchmark: z.string(), reused: z.number().int().nonnegative(), planned: z.number().int().nonnegative() })
    .nullable()
    .describe('runs that the newest readable benchmark took from the cache; null: no benchmark'),
})

export const cachePruned = z.object({
  workspace: z.string(),
  removed: amount,
  kept: amount,
})

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
export type CacheStats = z.infer<typeof cacheStats>
export type CachePruned = z.infer<typeof cachePruned>
