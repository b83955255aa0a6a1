/** The lines of `opencode run --format json` that are used here; fields without a name here are kept and ignored. */
import * as z from 'zod'
import { type RecordLine, readRecordLine } from '../cli/json_line.ts'

const count = z.number().nonnegative().catch(0).default(0)

const opencodeTokens = z.looseObject({
  total: z.number().nonnegative().optional(),
  input: count,
  output: count,
  reasoning: count,
  cache: z.looseObject({ read: count, write: count }).catch({ read: 0, write: 0 }).default({ read: 0, write: 0 }),
})

const toolPart = z.looseObject({
  tool: z.string(),
  callID: z.string(),
  state: z.looseObject({
    status: z.string(),
    input: z.unknown().optional(),
    output: z.string().optional(),
    error: z.string().optional(),
    metadata: z.looseObject({ exit: z.number().nullish() }).optional(),
  }),
})

const failure = z.looseObject({
  name: z.string().default('error'),
  data: z.looseObject({ message: z.string().optional(), statusCode: z.number().optional() }).optional(),
})

const textPart = z.looseObject({ text: z.string() })
const shared = { sessionID: z.string().optional() }

const record = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('step_start'), ...shared }),
  z.looseObject({ type: z.literal('text'), part: textPart, ...shared }),
  z.looseObject({ type: z.literal('reasoning'), part: textPart, ...shared }),
  z.looseObject({ type: z.literal('tool_use'), part: toolPart, ...shared }),
  z.looseObject({
    type: z.literal('step_finish'),
    part: z.looseObject({ reason: z.string().default('unknown'), tokens: opencodeTokens.optional(), cost: count }),
    ...shared,
  }),
  z.looseObject({ type: z.literal('error'), error: failure, ...shared }),
])

export type OpencodeRecord = z.infer<typeof record>
export type OpencodeTokens = z.infer<typeof opencodeTokens>
export type OpencodeFailure = z.infer<typeof failure>
export type ToolPart = z.infer<typeof toolPart>

export function readOpencodeLine(line: string): RecordLine<OpencodeRecord> {
  return readRecordLine(line, record)
}
