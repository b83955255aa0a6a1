/** Follows `copilot --output-format json` line by line: emits transcript events, and keeps what is needed at the end. */
import * as z from 'zod'
import type { SkillReadsRequest } from '../../engines/answers/skill_read.ts'
import { type AfterLine, RecordStream } from '../../engines/cli/record_stream.ts'

export interface CopilotStreamRequest extends SkillReadsRequest {
  sessionId: string
  maxTurns: number | null
  /** Called when it sends a failed request again: the HTTP status, if there was one, and the wait in milliseconds. */
  onRetry: (failure: { status: number | null; waitMs: number }) => void
}

type TurnRecord = CopilotRecordOf<
  | 'assistant.turn_start'
  | 'assistant.turn_end'
  | 'assistant.message'
  | 'assistant.turn_retry'
  | 'model.call_finished'
  | 'model.call_failure'
>

interface FailedRequest {
  /** HTTP status; null: there was no answer, or it began well. */
  status: number | null
  message: string
  at: number
}

/** `step`: responses of the agent's model, without those of sub-agents. */
export class CopilotStream extends RecordStream<CopilotRecord> {
  /** Whether a response was complete. */
  answered = false
  /** True if it would go on after its last allowed turn. */
  hadEnough = false
  /** Requests that failed since the last response. */
  failures = 0
  lastFailure: FailedRequest | null = null
  /** Its own report of why it gave up; null: it did not. */
  error: CopilotRecordOf<'session.error'>['data'] | null = null
  /** From its last record; null: not seen. */
  exitCode: number | null = null
  skills: string[] | null = null
  mcpServers: string[] | null = null
  /** MCP servers that did not start. */
  brokenServers: string[] = []
  readonly denied: string[] = []

  readonly #request: CopilotStreamRequest
  readonly #names = new Map<string, string>()
  #calledTools = false

  constructor(request: CopilotStreamRequest) {
    super(record, request)
    this.#request = request
    this.emit({ type: 'system', step: 0, subtype: 'init', session_id: request.sessionId })
  }

  /** Not the prompt, thoughts that their message contains too, nor ephemeral records: parts of later ones, or progress. */
  protected override takeOther({ type, ephemeral }: Record<string, unknown>): boolean {
    return ephemeral !== true && type !== 'user.message' && type !== 'assistant.reasoning'
  }

  protected override takeRecord(record: CopilotRecord): AfterLine {
    switch (record.type) {
      case 'session.skills_loaded':
        this.skills = record.data.skills.filter(({ enabled }) => enabled).map(({ name }) => name)
        return 'more'
      case 'session.mcp_servers_loaded':
        this.mcpServers = record.data.servers.filter(({ status }) => status !== 'disabled').map(({ name }) => name)
        this.brokenServers = record.data.servers.filter(({ status }) => status === 'failed').map(({ name }) => name)
        return this.brokenServers.length > 0 ? 'enough' : 'more'
      case 'tool.execution_start':
        this.#startTool(record.data)
        return 'more'
      case 'tool.execution_complete':
        this.#endTool(record.data)
        return 'more'
      case 'session.error':
        this.error = record.data
        return 'more'
      case 'result':
        this.exitCode = record.exitCode
        return 'last'
      case 'assistant.turn_start':
      case 'assistant.turn_end':
      case 'assistant.message':
      case 'assistant.turn_retry':
      case 'model.call_finished':
      case 'model.call_failure':
        return record.agentId === undefined ? this.#takeTurn(record) : 'more'
    }
  }

  /** A turn is one response of the agent's model, with the tools that it called. */
  #takeTurn(record: TurnRecord): AfterLine {
    switch (record.type) {
      case 'assistant.turn_start':
        return this.#startTurn()
      case 'assistant.turn_end':
        return this.#calledTools && this.#isLastTurn() ? this.#stop() : 'more'
      case 'assistant.message':
        this.#takeMessage(record.data)
        return 'more'
      case 'assistant.turn_retry':
        this.#retry(readTime(record.timestamp))
        return 'more'
      case 'model.call_finished':
        if (record.data.outcome === 'success') this.#takeAnswer()
        return 'more'
      case 'model.call_failure':
        this.failures += 1
        this.lastFailure = {
          status: record.data.statusCode ?? null,
          message: record.data.errorMessage,
          at: readTime(record.timestamp),
        }
        return 'more'
    }
  }

  #startTurn(): AfterLine {
    // without a tool call it goes on after an answer that was cut at the output limit
    if (this.#isLastTurn()) return this.#stop()
    this.#calledTools = false
    this.step += 1
    return 'more'
  }

  #isLastTurn(): boolean {
    const { maxTurns } = this.#request
    return maxTurns !== null && this.step >= maxTurns
  }

  #stop(): AfterLine {
    this.hadEnough = true
    return 'enough'
  }

  #takeMessage({ content, reasoningText, toolRequests }: CopilotRecordOf<'assistant.message'>['data']): void {
    this.#takeAnswer()
    if (reasoningText) this.emit({ type: 'thinking', step: this.step, text: reasoningText })
    if (content !== '') {
      this.lastText = content
      this.emit({ type: 'assistant', step: this.step, text: content })
    }
    this.#calledTools ||= toolRequests.length > 0
  }

  #takeAnswer(): void {
    this.answered = true
    this.failures = 0
  }

  #retry(at: number): void {
    if (this.lastFailure === null || this.failures === 0) return
    this.#request.onRetry({ status: this.lastFailure.status, waitMs: Math.max(0, at - this.lastFailure.at) })
  }

  #startTool({ toolCallId: id, toolName: name, ...more }: CopilotRecordOf<'tool.execution_start'>['data']): void {
    const input = more.arguments ?? {}
    this.#names.set(id, name)
    this.emit({ type: 'tool_call', step: this.step, id, name, input })
  }

  #endTool({ toolCallId: id, ...end }: CopilotRecordOf<'tool.execution_complete'>['data']): void {
    const name = this.#names.get(id) ?? 'unknown'
    const isError = !end.success || (end.shellExecution?.exitCode ?? 0) !== 0
    const output = end.result?.content ?? end.error?.message ?? ''
    if (end.error?.code === 'denied') this.denied.push(name)
    this.emit({ type: 'tool_result', step: this.step, id, name, output, is_error: isError })
  }
}

/** Milliseconds since 1970; 0 if unknown. */
function readTime(timestamp: string | undefined): number {
  return Date.parse(timestamp ?? '') || 0
}

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
