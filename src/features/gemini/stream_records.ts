/** The lines of `gemini --output-format stream-json` that are used here; fields without a name here are kept and ignored. */
import * as z from 'zod'
import { type RecordLine, readRecordLine } from '../../engines/cli/json_line.ts'

const count = z.number().nonnegative().catch(0).default(0)

const error = z.looseObject({ type: z.string().default('unknown'), message: z.string().default('') })

/** `input_tokens` includes cached ones; thoughts are only in the total. */
const stats = z.looseObject({ total_tokens: count, input_tokens: count, output_tokens: count, cached: count })

const record = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('init'), session_id: z.string(), model: z.string().optional() }),
  z.looseObject({ type: z.literal('message'), role: z.enum(['user', 'assistant']), content: z.string() }),
  z.looseObject({
    type: z.literal('tool_use'),
    tool_name: z.string(),
    tool_id: z.string(),
    parameters: z.unknown().optional(),
  }),
  z.looseObject({
    type: z.literal('tool_result'),
    tool_id: z.string(),
    status: z.string(),
    output: z.string().optional(),
    error: error.optional(),
  }),
  z.looseObject({ type: z.literal('error'), severity: z.string(), message: z.string() }),
  z.looseObject({ type: z.literal('result'), status: z.string(), error: error.optional(), stats: stats.optional() }),
])

export type GeminiRecord = z.infer<typeof record>
export type GeminiResult = Extract<GeminiRecord, { type: 'result' }>
export type GeminiToolResult = Extract<GeminiRecord, { type: 'tool_result' }>

export function readGeminiLine(line: string): RecordLine<GeminiRecord> {
  return readRecordLine(line, record)
}
