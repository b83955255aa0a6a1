/** What the served page shows of a queue: its workers and its queues as they are now. */
import * as z from 'zod'

const counts = z.object({
  waiting: z.number().int(),
  active: z.number().int(),
  failed: z.number().int(),
})

export const fleet = z.object({
  at: z.iso.datetime(),
  place: z.string().describe('the queue server, without secrets'),
  problem: z.string().nullable().describe('why the rest is not of now; null: it is'),
  per_minute: z.number().nullable().describe('runs that ended, over the last minute; null: not known yet'),
  queues: z.array(
    counts.extend({
      queue: z.string(),
      needs: z.array(z.string()).describe('the engine, then tags'),
      limit: z.number().int().nullable().describe('at most so many at once over all workers'),
      drained: z.boolean(),
      untaken: z.boolean().describe('jobs wait in it that no living worker takes'),
    }),
  ),
  workers: z.array(
    z.object({
      worker: z.string(),
      version: z.string(),
      offers: z.array(z.string()).describe('engines, then tags'),
      places: z.number().int(),
      busy: z.number().int(),
      done: z.number().int(),
      failed: z.number().int().describe('jobs that it did not bring to an end'),
      refusals: z.number().int().describe('requests that the limit of an account refused'),
      per_minute: z.number().nullable(),
      silent_ms: z.number().describe('since it was last heard of'),
    }),
  ),
})

export type Fleet = z.infer<typeof fleet>
