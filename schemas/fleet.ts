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
  problem: z.string().nullable().describe('why the other fields are out of date; null: they are current'),
  per_minute: z.number().nullable().describe('runs finished in the last minute; null: not known yet'),
  queues: z.array(
    counts.extend({
      queue: z.string(),
      needs: z.array(z.string()).describe('engine, then tags'),
      limit: z.number().int().nullable().describe('maximum number of jobs at once over all workers'),
      drained: z.boolean(),
      untaken: z.boolean().describe('true: jobs are waiting that no live worker can take'),
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
      failed: z.number().int().describe('jobs that it did not finish'),
      refusals: z.number().int().describe("requests refused by an account's rate limit"),
      per_minute: z.number().nullable(),
      silent_ms: z.number().describe('milliseconds since its last sign of life'),
    }),
  ),
})

export type Fleet = z.infer<typeof fleet>
