/** The lines of `copilot --output-format json` that are used here; fields without a name here are kept and ignored. */
import * as z from 'zod'
import { type RecordLine, readRecordLine } from '../../engines/cli/json_line.ts'

const text = z.string().catch('').default('')
const status = z.number().optional().catch(undefined)

/** `agentId`: of a sub-agent; absent: the agent itself. */
const shared = { agentId: z.string().optional(), timestamp: z.string().optional() }
const kind = <T extends string, D extends z.ZodRawShape>(type: T, data: D) =>
  z.looseObject({ type: z.literal(type), data: z.looseObject(data), ...shared })

const record = z.discriminatedUnion('type', [
  kind('session.skills_loaded', {
    skills: z.array(z.looseObject({ name: z.string(), enabled: z.boolean().default(true) })),
  }),
  kind('session.mcp_servers_loaded', { servers: z.array(z.looseObject({ name: z.string(), status: text })) }),
  kind('assistant.turn_start', {}),
  kind('assistant.turn_end', {}),
  kind('assistant.turn_retry', {}),
  kind('assistant.message', {
    content: text,
    reasoningText: z.string().optional(),
    toolRequests: z.array(z.unknown()).default([]),
  }),
  kind('tool.execution_start', { toolCallId: z.string(), toolName: z.string(), arguments: z.unknown().optional() }),
  kind('tool.execution_complete', {
    toolCallId: z.string(),
    success: z.boolean(),
    result: z.looseObject({ content: text }).optional(),
    error: z.looseObject({ message: text, code: z.string().optional() }).optional(),
    shellExecution: z.looseObject({ exitCode: z.number().nullish() }).optional(),
  }),
  kind('model.call_finished', { outcome: text }),
  kind('model.call_failure', { statusCode: status, errorMessage: text }),
  kind('session.error', { message: text, statusCode: status, errorType: text }),
  z.looseObject({ type: z.literal('result'), exitCode: z.number(), ...shared }),
])

export type CopilotRecord = z.infer<typeof record>
export type CopilotRecordOf<T extends CopilotRecord['type']> = Extract<CopilotRecord, { type: T }>

export function readCopilotLine(line: string): RecordLine<CopilotRecord> {
  return readRecordLine(line, record)
}
