/** Follows Qwen Code's stream line by line: emits transcript events, and keeps what is needed at the end. */
import * as z from 'zod'
import type { SkillReadsRequest } from '../../engines/answers/skill_read.ts'
import { contentText, nameRecord } from '../../engines/cli/json_line.ts'
import { type AfterLine, RecordStream } from '../../engines/cli/record_stream.ts'

export class QwenStream extends RecordStream<QwenRecord> {
  init: QwenInit | null = null
  result: QwenResult | null = null
  /** The model that answered last. */
  model: string | null = null
  /** The sum over the responses that came with their tokens. */
  tokens = noTokens
  /** Whether a response has ended: with a tool call, or with its tokens. */
  hasAnswered = false
  /** Whether it sends a request again because it rejected the response. */
  isAskingAgain = false

  readonly #nameOf = new Map<string, string>()
  /** Whether the next line of the assistant belongs to the same response. */
  #isOpen = false

  constructor(request: SkillReadsRequest) {
    super(record, request)
  }

  /** MCP servers that did not start. */
  get brokenServers(): string[] {
    const servers = this.init?.mcp_servers ?? []
    return servers.flatMap((one) => (typeof one !== 'string' && one.status === 'disconnected' ? [one.name] : []))
  }

  /** Stream events only repeat the state of a goal, and there is no goal. */
  protected override takeOther(other: Record<string, unknown>): boolean {
    if (nameRecord(other) === 'system/retry') this.isAskingAgain = true
    return other.type !== 'stream_event'
  }

  protected override takeRecord(record: QwenRecord): AfterLine {
    switch (record.type) {
      case 'system':
        this.#takeInit(record)
        return this.brokenServers.length > 0 ? 'enough' : 'more'
      case 'assistant':
        this.#takeMessage(record)
        return 'more'
      case 'user':
        this.#takeResults(record)
        return 'more'
      case 'result':
        this.result = record
        return 'last'
    }
  }

  #takeInit(init: QwenInit): void {
    this.init ??= init
    const { session_id, model, tools } = init
    const known = Object.fromEntries(Object.entries({ session_id, model, tools }).filter(([, one]) => one))
    this.emit({ type: 'system', step: this.step, subtype: 'init', ...known })
  }

  #takeMessage({ message, parent_tool_use_id: parent }: QwenMessage): void {
    const text = message.content[0]?.text
    if (typeof text === 'string' && isErrorText(text)) {
      this.emit({ type: 'system', step: this.step, subtype: 'api_error', text })
      return
    }
    this.isAskingAgain = false
    this.model = message.model ?? this.model
    const isMain = typeof parent !== 'string'
    if (isMain && !this.#isOpen) this.step += 1
    for (const block of message.content) this.#takeBlock(block, isMain)
    // a response may come as several lines, and only its last one has tokens
    const hasTokens = (message.usage?.input_tokens ?? 0) > 0
    this.hasAnswered ||= hasTokens
    if (isMain) this.#isOpen = !hasTokens
    if (message.usage !== undefined) this.tokens = addTokens(this.tokens, message.usage)
  }

  #takeBlock(block: QwenBlock, isMain: boolean): void {
    const { step } = this
    if (block.type === 'text' && typeof block.text === 'string') {
      if (isMain) this.lastText = block.text
      if (block.text !== '') this.emit({ type: 'assistant', step, text: block.text })
    } else if (block.type === 'thinking' && typeof block.thinking === 'string') {
      if (block.thinking !== '') this.emit({ type: 'thinking', step, text: block.thinking })
    } else if (block.type === 'tool_use' && typeof block.id === 'string' && typeof block.name === 'string') {
      const { name, input } = unwrapCall(block.name, block.input)
      const { id } = block
      this.hasAnswered = true
      this.#nameOf.set(id, name)
      this.emit({ type: 'tool_call', step, id, name, input })
    }
  }

  #takeResults({ message, parent_tool_use_id: parent }: QwenToolResults): void {
    if (typeof parent !== 'string') this.#isOpen = false
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
    for (const block of blocks) {
      if (block.type === 'tool_result' && typeof block.tool_use_id === 'string') {
        const id = block.tool_use_id
        const isError = block.is_error === true
        const output = contentText(block.content)
        this.emit({
          type: 'tool_result',
          ...{ step: this.step, id, name: this.#nameOf.get(id) ?? '', output, is_error: isError },
        })
      } else {
        this.emit({ type: 'system', step: this.step, subtype: 'added_text', text: contentText([block]) })
      }
    }
  }
}

function addTokens(sum: QwenTokens, one: QwenTokens): QwenTokens {
  return {
    input_tokens: sum.input_tokens + one.input_tokens,
    output_tokens: sum.output_tokens + one.output_tokens,
    cache_read_input_tokens: sum.cache_read_input_tokens + one.cache_read_input_tokens,
  }
}

const bridged = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) })

/** Its model calls some tools, such as those of MCP servers, through a tool of its own. */
function unwrapCall(name: string, input: unknown): { name: string; input: unknown } {
  const inner = name === 'tool_call' ? bridged.safeParse(input).data : undefined
  return inner === undefined ? { name, input } : { name: inner.name, input: inner.arguments }
}

/** Qwen Code shows a failed request as a text of the assistant. */
function isErrorText(text: string): boolean {
  return text.startsWith('[API Error: ')
}

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
