/** Follows `gemini --output-format stream-json` line by line: emits transcript events, and keeps what is needed at the end. */
import * as z from 'zod'
import type { SkillReadsRequest } from '../../engines/answers/skill_read.ts'
import { type AfterLine, RecordStream } from '../../engines/cli/record_stream.ts'

interface OpenCall {
  name: string
  input: unknown
}

interface GeminiStreamRequest extends SkillReadsRequest {
  /** What a call gave the model; null: not known. Known from the next line on. */
  output: (id: string) => string | null
}

export class GeminiStream extends RecordStream<GeminiRecord> {
  sessionId: string | null = null
  model: string | null = null
  result: GeminiResult | null = null
  /** The last message of an `error` record that is not a warning. */
  lastError: string | null = null
  /** Whether a tool has ended: then at least one answer was complete. */
  hasToolResult = false
  readonly denied: string[] = []
  /** Calls without a result, by id. */
  readonly calls = new Map<string, OpenCall>()

  readonly #request: GeminiStreamRequest
  #text = ''
  /** Whether a response has begun and none of its tools has ended. */
  #isInStep = false
  /** Results whose output to the model is known only once the next line is there. */
  #held: GeminiToolResult[] = []

  constructor(request: GeminiStreamRequest) {
    super(record, request)
    this.#request = request
  }

  /** Emits what waits for a next line: none follows. */
  finish(): void {
    this.#emitText()
    this.#emitResults()
  }

  protected override takeRecord(record: GeminiRecord): AfterLine {
    if (record.type !== 'tool_result') this.#emitResults()
    switch (record.type) {
      case 'init':
        this.sessionId = record.session_id
        this.model = record.model ?? null
        this.emit({ type: 'system', step: 0, subtype: 'init', session_id: record.session_id })
        return 'more'
      case 'message':
        if (record.role === 'user') return 'more'
        this.#beginStep()
        this.#text += record.content
        return 'more'
      case 'tool_use':
        this.#beginStep()
        this.#emitText()
        this.#takeCall(record.tool_id, { name: record.tool_name, input: record.parameters ?? {} })
        return 'more'
      case 'tool_result':
        this.#isInStep = false
        this.hasToolResult = true
        this.#held.push(record)
        return 'more'
      case 'error':
        if (record.severity === 'error') this.lastError = record.message
        this.emit({ type: 'system', step: this.step, subtype: record.severity, text: record.message })
        return 'more'
      case 'result':
        this.#emitText()
        this.result = record
        return 'last'
    }
  }

  #beginStep(): void {
    if (this.#isInStep) return
    this.#isInStep = true
    this.step += 1
  }

  /** The stream has the pieces of a text. */
  #emitText(): void {
    if (this.#text === '') return
    this.lastText = this.#text
    this.emit({ type: 'assistant', step: this.step, text: this.#text })
    this.#text = ''
  }

  #takeCall(id: string, { name, input }: OpenCall): void {
    this.calls.set(id, { name, input })
    this.emit({ type: 'tool_call', step: this.step, id, name, input })
  }

  #emitResults(): void {
    for (const { tool_id: id, status, output: shown, error } of this.#held.splice(0)) {
      const name = this.calls.get(id)?.name ?? ''
      const output = this.#request.output(id) ?? shown ?? error?.message ?? ''
      const isError = status === 'error' || /^Exit Code: [1-9]/m.test(output)
      if (error !== undefined && /polic|permission|denied/i.test(error.type)) this.denied.push(name)
      this.calls.delete(id)
      this.emit({ type: 'tool_result', step: this.step, id, name, output, is_error: isError })
    }
  }
}

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
