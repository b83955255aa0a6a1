/** The lines of `pi --mode json` that are used here; fields without a name here are ignored. */
import * as z from 'zod'
import { type RecordLine, readRecordLine } from '../cli/json_line.ts'

const count = z.number().nonnegative().catch(0).default(0)

const usage = z.looseObject({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  cost: z.looseObject({ total: count }).optional(),
})

const part = z.looseObject({ type: z.string(), text: z.string().optional(), thinking: z.string().optional() })

const answer = z.looseObject({
  role: z.literal('assistant'),
  content: z.array(part),
  model: z.string().optional(),
  usage: usage.optional(),
  stopReason: z.string().default('unknown'),
  errorMessage: z.string().optional(),
})

const message = z.union([answer, z.looseObject({ role: z.string() })])

const record = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('session'), id: z.string() }),
  // from Whetstone's extension
  z.looseObject({
    type: z.literal('whetstone'),
    version: z.string(),
    priced: z.boolean(),
    skills: z.array(z.string()),
    tools: z.array(z.string()),
  }),
  z.looseObject({ type: z.literal('whetstone_refusal'), message: z.string() }),
  z.looseObject({ type: z.literal('message_end'), message }),
  z.looseObject({
    type: z.literal('tool_execution_start'),
    toolCallId: z.string(),
    toolName: z.string(),
    args: z.unknown(),
  }),
  z.looseObject({
    type: z.literal('tool_execution_end'),
    toolCallId: z.string(),
    toolName: z.string(),
    result: z.looseObject({ content: z.array(part).catch([]).default([]) }),
    isError: z.boolean(),
  }),
  z.looseObject({ type: z.literal('turn_end') }),
  z.looseObject({ type: z.literal('auto_retry_start'), delayMs: count, errorMessage: z.string().default('') }),
  z.looseObject({ type: z.literal('agent_end') }),
])

export type PiRecord = z.infer<typeof record>
export type PiAnswer = z.infer<typeof answer>
export type PiUsage = z.infer<typeof usage>
export type PiOffer = Extract<PiRecord, { type: 'whetstone' }>
export type PiToolCall = Extract<PiRecord, { type: 'tool_execution_start' }>
export type PiToolEnd = Extract<PiRecord, { type: 'tool_execution_end' }>

export function readPiLine(line: string): RecordLine<PiRecord> {
  return readRecordLine(line, record)
}

/** The model's answer in a message; null: the message is the user's, or a tool's result. */
export function toAnswer(one: Extract<PiRecord, { type: 'message_end' }>['message']): PiAnswer | null {
  const read = answer.safeParse(one)
  return read.success ? read.data : null
}
