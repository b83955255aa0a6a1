/** A pass in the cache of eval: a case that passed with the same key needs no run. Failures are never kept. */
import * as z from 'zod'

export const evalPass = z.object({
  schema_version: z.literal(1),
  key: z.string(),
  eval_name: z.string(),
  at: z.iso.datetime(),
  folder: z.string().describe("absolute path of the eval's folder"),
  warnings: z.array(z.string()),
  judge: z.object({ reason: z.string(), engine: z.string().nullable(), model: z.string().nullable() }),
  output_snippet: z.string(),
})

export type EvalPass = z.infer<typeof evalPass>
