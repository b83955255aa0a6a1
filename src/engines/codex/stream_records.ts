/** The lines of `codex exec --json` that are used here; fields without a name here are kept and ignored. */
import * as z from 'zod'

const count = z.number().int().nonnegative().catch(0).default(0)

export const codexUsage = z.looseObject({
  input_tokens: count.describe('cached ones included'),
  cached_input_tokens: count,
  cache_write_input_tokens: count,
  output_tokens: count,
  reasoning_output_tokens: count,
})

const item = z.looseObject({ id: z.string(), type: z.string() })

export const codexRecord = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('thread.started'), thread_id: z.string() }),
  z.looseObject({ type: z.literal('turn.started') }),
  z.looseObject({ type: z.literal('item.started'), item }),
  z.looseObject({ type: z.literal('item.updated'), item }),
  z.looseObject({ type: z.literal('item.completed'), item }),
  z.looseObject({ type: z.literal('turn.completed'), usage: codexUsage.optional() }),
  z.looseObject({ type: z.literal('turn.failed'), error: z.looseObject({ message: z.string() }) }),
  z.looseObject({ type: z.literal('error'), message: z.string() }),
])

export type CodexItem = z.infer<typeof item>
export type CodexUsage = z.infer<typeof codexUsage>
export type CodexRecord = z.infer<typeof codexRecord>
