/** The lines of `codex exec --json` that are used here; fields without a name here are kept and ignored. */
import * as z from 'zod'
import { parseJsonLine, type UnreadableLine } from '../cli/json_line.ts'

const count = z.number().int().nonnegative().catch(0).default(0)

export const codexUsage = z.looseObject({
  input_tokens: count.describe('cached ones included'),
  cached_input_tokens: count,
  cache_write_input_tokens: count,
  output_tokens: count,
  reasoning_output_tokens: count,
})

const item = z.looseObject({ id: z.string(), type: z.string() })

const record = z.discriminatedUnion('type', [
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
export type CodexRecord = z.infer<typeof record>

/** `other`: an object of another type; `unreadable`: not a JSON object. */
export type CodexLine =
  | { kind: 'record'; record: CodexRecord }
  | { kind: 'other'; value: Record<string, unknown> }
  | UnreadableLine

/** Reads one line. A record that does not fit its own type is `other`: a new version must not end a run. */
export function readCodexLine(line: string): CodexLine {
  const read = parseJsonLine(line)
  if (read.kind === 'unreadable') return read
  const known = record.safeParse(read.value)
  return known.success ? { kind: 'record', record: known.data } : { kind: 'other', value: read.value }
}
