/** The lines of `qwen --output-format stream-json` that are used here; fields without a name here are kept and ignored. */
import * as z from 'zod'
import { type RecordLine, readRecordLine } from '../../engines/cli/json_line.ts'

const count = z.number().nonnegative().catch(0).default(0)

/** `input_tokens` includes the cached ones. */
const tokens = z.looseObject({ input_tokens: count, output_tokens: count, cache_read_input_tokens: count })

const block = z.looseObject({ type: z.string() })
const blocks = z.array(block)

const record = z.union([
  z.looseObject({
    type: z.literal('system'),
    subtype: z.literal('init'),
    session_id: z.string().optional(),
    model: z.string().optional(),
    tools: z.array(z.string()).optional(),
    qwen_code_version: z.string().optional(),
    mcp_servers: z
      .array(z.union([z.string(), z.looseObject({ name: z.string(), status: z.string().optional() })]))
      .default([]),
  }),
  z.looseObject({
    type: z.literal('assistant'),
    /** The call that started the sub-agent whose line it is; null: the main conversation's. */
    parent_tool_use_id: z.string().nullish(),
    message: z.looseObject({ model: z.string().optional(), content: blocks, usage: tokens.optional() }),
  }),
  z.looseObject({
    type: z.literal('user'),
    parent_tool_use_id: z.string().nullish(),
    message: z.looseObject({ content: z.union([z.string(), blocks]) }),
  }),
  z.looseObject({
    type: z.literal('result'),
    subtype: z.string(),
    is_error: z.boolean().default(false),
    result: z.string().nullish(),
    usage: tokens.optional(),
    permission_denials: z.array(z.looseObject({ tool_name: z.string() })).default([]),
    error: z.looseObject({ message: z.string().default('') }).nullish(),
  }),
])

type QwenRecord = z.infer<typeof record>
export type QwenInit = Extract<QwenRecord, { type: 'system' }>
export type QwenMessage = Extract<QwenRecord, { type: 'assistant' }>
export type QwenToolResults = Extract<QwenRecord, { type: 'user' }>
export type QwenResult = Extract<QwenRecord, { type: 'result' }>
export type QwenTokens = z.infer<typeof tokens>
export const noTokens: QwenTokens = { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0 }
export type QwenBlock = z.infer<typeof block>

export function readQwenLine(line: string): RecordLine<QwenRecord> {
  return readRecordLine(line, record)
}
