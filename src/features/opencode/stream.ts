/** Follows `opencode run --format json` line by line: emits transcript events, and keeps what is needed at the end. */
import * as z from 'zod'
import type { SkillReadsRequest } from '../../engines/answers/skill_read.ts'
import { type AfterLine, RecordStream } from '../../engines/cli/record_stream.ts'

export class OpencodeStream extends RecordStream<OpencodeRecord> {
  sessionId: string | null = null
  /** Why the last response ended, such as stop or tool-calls. */
  reason: string | null = null
  /** True if it would go on after its last allowed turn. */
  hadEnough = false
  failure: OpencodeFailure | null = null
  /** Of each response that ended. */
  readonly tokens: OpencodeTokens[] = []
  /** Dollars by opencode's own prices; 0 if it knows none. */
  cost = 0
  readonly denied: string[] = []

  readonly #maxTurns: number | null

  constructor(request: SkillReadsRequest & { maxTurns: number | null }) {
    super(record, request)
    this.#maxTurns = request.maxTurns
  }

  protected override takeRecord(record: OpencodeRecord): AfterLine {
    if (this.sessionId === null && record.sessionID !== undefined) {
      this.sessionId = record.sessionID
      this.emit({ type: 'system', step: 0, subtype: 'init', session_id: this.sessionId })
    }
    switch (record.type) {
      case 'step_start':
        this.step += 1
        return 'more'
      case 'text':
        this.lastText = record.part.text
        if (record.part.text !== '') this.emit({ type: 'assistant', step: this.step, text: record.part.text })
        return 'more'
      case 'reasoning':
        if (record.part.text !== '') this.emit({ type: 'thinking', step: this.step, text: record.part.text })
        return 'more'
      case 'tool_use':
        this.#takeTool(record.part)
        return 'more'
      case 'step_finish':
        return this.#finishStep(record.part)
      case 'error':
        this.failure = record.error
        return 'more'
    }
  }

  #finishStep(part: Extract<OpencodeRecord, { type: 'step_finish' }>['part']): AfterLine {
    this.reason = part.reason
    this.cost += part.cost
    if (part.tokens !== undefined) this.tokens.push(part.tokens)
    if (part.reason !== 'tool-calls') return 'last'
    this.hadEnough = this.#maxTurns !== null && this.step >= this.#maxTurns
    return this.hadEnough ? 'enough' : 'more'
  }

  /** opencode reports a call once it has ended. */
  #takeTool({ tool, callID: id, state }: ToolPart): void {
    const input = state.input ?? {}
    const exit = state.metadata?.exit ?? 0
    const isError = state.status === 'error' || exit !== 0
    const output = state.output ?? state.error ?? ''
    if (state.status === 'error' && /rule which prevents|rejected permission/i.test(output)) this.denied.push(tool)
    this.emit({ type: 'tool_call', step: this.step, id, name: tool, input })
    this.emit({ type: 'tool_result', step: this.step, id, name: tool, output, is_error: isError })
  }
}

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

type OpencodeRecord = z.infer<typeof record>
export type OpencodeTokens = z.infer<typeof opencodeTokens>
export type OpencodeFailure = z.infer<typeof failure>
type ToolPart = z.infer<typeof toolPart>
