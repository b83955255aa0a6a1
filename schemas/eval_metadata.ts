/** `eval_metadata.json`: the case that a folder of runs belongs to. */
import * as z from 'zod'

export const evalMetadata = z.looseObject({
  eval_id: z.number().int(),
  eval_name: z.string(),
  prompt: z.string(),
  assertions: z.array(z.string()).describe('expectations, then the statements of the checks'),
  turns: z.array(z.string()).optional().describe('further messages of the user; absent: none'),
  eval_key: z.string().nullable().optional(),
})

export type EvalMetadata = z.infer<typeof evalMetadata>
