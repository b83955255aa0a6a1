/** judge_batches.json: batches of a judge's requests that a benchmark waits for, so that a second call waits for the same ones. */
import * as z from 'zod'

export const judgeBatches = z.object({
  schema_version: z.literal(1).describe('version of this file'),
  batches: z
    .array(
      z.object({
        id: z.string().describe("the provider's id of the batch"),
        engine: z.string().describe('the engine whose provider has the batch'),
        base_url: z.string().nullable().describe('address of the server; null: the usual one'),
        created_at: z.iso.datetime().describe('when it was submitted'),
        items: z.array(z.string()).describe('hashes of its requests, each with its number among equal ones'),
      }),
    )
    .describe('in the order of their submission; the file is removed when every answer is graded'),
})

export type JudgeBatches = z.infer<typeof judgeBatches>

/** The progress of a batch, in events. */
export const batchProgress = z.object({
  batch: z.string().describe("the provider's id of the batch that is waited for"),
  done: z.number().int().nonnegative().describe('requests that have ended'),
  total: z.number().int().nonnegative().describe('its requests'),
  ended: z.boolean().describe('whether the answers can be read'),
})
