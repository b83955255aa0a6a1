/** Follows `pi --mode json` line by line: emits transcript events, and keeps what is needed at the end. */
import * as z from 'zod'
import type { SkillReadsRequest } from '../../engines/answers/skill_read.ts'
import { type AfterLine, RecordStream } from '../../engines/cli/record_stream.ts'

/** They repeat what other records say, or say nothing. */
const repeated: ReadonlySet<unknown> = new Set([
  ...['agent_start', 'turn_start', 'message_start', 'message_update', 'tool_execution_update', 'auto_retry_end'],
])

interface PiStreamRequest extends SkillReadsRequest {
  maxTurns: number | null
  /** It sends a failed request again, in so many milliseconds. */
  onRetry: (error: string, waitMs: number) => void
}

export class PiStream extends RecordStream<PiRecord> {
  sessionId: string | null = null
  /** What it offers its model, as Whetstone's extension reports it. */
  offer: PiOffer | null = null
  /** Why Whetstone's extension ended it before any request; null: it did not. */
  mistake: string | null = null
  /** The model that answered. */
  model: string | null = null
  /** Why the last answer ended, such as stop or toolUse; null: there is no answer yet. */
  reason: string | null = null
  /** The error of the last request, if it failed; null: it was answered. */
  error: string | null = null
  /** Whether the model refused, which pi calls an error. */
  refused = false
  /** True if it would go on after its last allowed turn. */
  hadEnough = false
  /** Of each answer, and of each part of one that was cut. */
  readonly usage: PiUsage[] = []
  /** Whether an answer came without a count of its tokens. */
  missesUsage = false
  /** Tools whose calls Whetstone's extension has blocked. */
  readonly denied: string[] = []

  readonly #request: PiStreamRequest

  constructor(request: PiStreamRequest) {
    super(record, request)
    this.#request = request
  }

  protected override takeOther({ type }: Record<string, unknown>): boolean {
    return !repeated.has(type)
  }

  protected override takeRecord(record: PiRecord): AfterLine {
    switch (record.type) {
      case 'session':
        this.sessionId = record.id
        this.emit({ type: 'system', step: 0, subtype: 'init', session_id: record.id })
        return 'more'
      case 'whetstone':
        this.offer = record
        return 'more'
      case 'whetstone_refusal':
        this.mistake = record.message
        return 'last'
      case 'message_end':
        this.#takeAnswer(toAnswer(record.message))
        return 'more'
      case 'tool_execution_start':
        this.#startTool(record)
        return 'more'
      case 'tool_execution_end':
        this.#endTool(record)
        return 'more'
      case 'turn_end':
        return this.#endTurn()
      case 'auto_retry_start':
        this.#request.onRetry(record.errorMessage, record.delayMs)
        return 'more'
      case 'agent_end':
        // after an error it may send the request again, or compact a full context first
        return this.error === null || this.refused ? 'last' : 'more'
    }
  }

  #takeAnswer(answer: PiAnswer | null): void {
    if (answer === null) return
    if (answer.usage !== undefined && countTokens(answer.usage) > 0) this.usage.push(answer.usage)
    this.refused = isRefusal(answer)
    this.error = answer.stopReason === 'error' ? (answer.errorMessage ?? 'error') : null
    if (this.error !== null && !this.refused) return
    this.missesUsage ||= answer.usage === undefined || countTokens(answer.usage) === 0
    this.step += 1
    this.reason = answer.stopReason
    this.model = answer.model ?? this.model
    for (const { type, text, thinking } of answer.content) {
      if (type === 'thinking' && thinking) this.emit({ type: 'thinking', step: this.step, text: thinking })
      if (type === 'text' && text) this.emit({ type: 'assistant', step: this.step, text })
    }
    this.lastText = joinTexts(answer.content) || this.lastText
  }

  #endTurn(): AfterLine {
    const { maxTurns } = this.#request
    const goesOn = this.reason === 'toolUse' && this.error === null
    this.hadEnough = goesOn && maxTurns !== null && this.step >= maxTurns
    if (!this.hadEnough) return 'more'
    this.close()
    return 'enough'
  }

  #startTool({ toolCallId: id, toolName: name, args }: PiToolCall): void {
    const input = args ?? {}
    this.emit({ type: 'tool_call', step: this.step, id, name, input })
  }

  #endTool({ toolCallId: id, toolName: name, result, isError }: PiToolEnd): void {
    const output = joinTexts(result.content)
    if (isError && output.endsWith('is outside of the working folder')) this.denied.push(name)
    this.emit({ type: 'tool_result', step: this.step, id, name, output, is_error: isError })
  }
}

function joinTexts(content: PiAnswer['content']): string {
  return content.flatMap(({ type, text }) => (type === 'text' && text ? [text] : [])).join('\n')
}

function countTokens({ input, output, cacheRead, cacheWrite }: PiUsage): number {
  return input + output + cacheRead + cacheWrite
}

/** pi has no word for a refusal: it ends as an error without a cause, and the answer is whole. */
function isRefusal({ stopReason, errorMessage, usage }: PiAnswer): boolean {
  return stopReason === 'error' && errorMessage === 'An unknown error occurred' && (usage?.output ?? 0) > 0
}

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

/** The model's answer in a message; null: the message is the user's, or a tool's result. */
function toAnswer(one: Extract<PiRecord, { type: 'message_end' }>['message']): PiAnswer | null {
  const read = answer.safeParse(one)
  return read.success ? read.data : null
}
