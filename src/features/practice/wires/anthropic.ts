/** The Messages API of Anthropic: its answers and its errors. */
import * as z from 'zod'
import type { AnswerBlock, Block, PracticeMessage, ReadDialogue, StopReason, ToolUseBlock } from '../dialogue.ts'
import { findBodyMistake } from '../dialogue.ts'
import { chooseSchema } from '../scenario/strict_schema.ts'
import type { ServerEvent } from './wire.ts'
import { messageRoute, namedEvent, splitPieces, type Wire } from './wire.ts'

const block: z.ZodType<Block> = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().optional(),
  content: z
    .union([z.string(), z.array(z.lazy(() => block))])
    .optional()
    .catch(undefined),
})

const blocks = z.array(block, { error: 'must be a string or a list of content blocks' })
const content = chooseSchema((given): z.ZodType<string | Block[]> => (typeof given === 'string' ? z.string() : blocks))

const request = z.looseObject({
  model: z.string().min(1),
  system: content.optional(),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content })).min(1),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
  stream: z.boolean().optional(),
})

type MessagesRequest = z.infer<typeof request>

/** A request for a message needs max_tokens; a request for a count does not. */
const answerable = request.extend({ max_tokens: z.number().int().positive() })

/** The request, or why the real API would refuse it. */
function readMessages(body: unknown, counting: boolean): ReadDialogue {
  const result = (counting ? request : answerable).safeParse(body)
  if (!result.success) return { ok: false, why: findBodyMistake(result.error) }
  const why = findUnpairedBlock(result.data.messages) ?? emptyText(result.data.messages)
  return why === null ? { ok: true, request: result.data } : { ok: false, why }
}

type Messages = MessagesRequest['messages']

/** Every tool_use must be answered in the next message, and every tool_result must answer one of the message before. */
function findUnpairedBlock(messages: Messages): string | null {
  const talk = messages.filter(({ role }) => role !== 'system')
  for (const [index, message] of talk.entries()) {
    const asked = pairIds(talk[index - 1], 'assistant')
    const answered = pairIds(message, 'user')
    const missing = asked.filter((id) => !answered.includes(id))
    if (missing.length > 0) {
      return `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`
    }
    const stray = answered.find((id) => !asked.includes(id))
    if (stray !== undefined) {
      return `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`
    }
  }
  return null
}

/** The ids of tool calls (assistant) or of the calls that results answer (user); empty for another role. */
function pairIds(message: Messages[number] | undefined, role: 'assistant' | 'user'): string[] {
  if (message?.role !== role || typeof message.content === 'string') return []
  return message.content.flatMap((one) => {
    if (role === 'assistant') return one.type === 'tool_use' ? [one.id ?? ''] : []
    return one.type === 'tool_result' ? [one.tool_use_id ?? ''] : []
  })
}

function emptyText(messages: Messages): string | null {
  const index = messages.findIndex(
    (message) => typeof message.content !== 'string' && message.content.some((one) => one.type === 'text' && !one.text),
  )
  return index < 0 ? null : `messages.${index}: text content blocks must be non-empty`
}

/** message_start, then start, deltas and stop of each block, then message_delta and message_stop. */
function anthropicEvents(message: AnthropicMessage): ServerEvent[] {
  const { content, stop_reason, stop_sequence, usage } = message
  const opened = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } }
  return [
    { type: 'message_start', message: opened },
    ...content.flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ]
}

function blockEvents(block: ContentBlock, index: number): ServerEvent[] {
  const { opened, deltas } = blockParts(block)
  return [
    { type: 'content_block_start', index, content_block: opened },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

function blockParts(block: ContentBlock): { opened: ContentBlock; deltas: ServerEvent[] } {
  switch (block.type) {
    case 'text':
      return {
        opened: { ...block, text: '' },
        deltas: splitPieces(block.text).map((text) => ({ type: 'text_delta', text })),
      }
    case 'thinking': {
      const deltas = splitPieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }))
      const signed = { type: 'signature_delta', signature: block.signature }
      return { opened: { ...block, thinking: '', signature: '' }, deltas: [...deltas, signed] }
    }
    case 'tool_use': {
      const deltas = splitPieces(JSON.stringify(block.input)).map((text) => ({
        type: 'input_json_delta',
        partial_json: text,
      }))
      return { opened: { ...block, input: {} }, deltas }
    }
  }
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

function toAnthropicMessage({ id, model, content, stopReason, usage }: PracticeMessage): AnthropicMessage {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: content.map(toContentBlock),
    stop_reason: stopReason,
    stop_sequence: null,
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      cache_creation_input_tokens: usage.cacheWrite,
      cache_read_input_tokens: usage.cacheRead,
      ...(usage.reasoning > 0 ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {}),
    },
  }
}

function toContentBlock(block: AnswerBlock): ContentBlock {
  if (block.type === 'tool_use') return block
  const { type, text } = block
  return type === 'text' ? { type, text } : { type, thinking: text, signature: 'practice' }
}

export const anthropicWire: Wire = {
  root: '/v1/messages',
  route: (path) => {
    if (path === '/v1/messages/count_tokens') return { counting: true }
    return path === '/v1/messages' ? messageRoute : null
  },
  requestIdHeader: 'request-id',
  read: (body, { counting }) => readMessages(body, counting),
  count: (tokens) => ({ input_tokens: tokens }),
  whole: toAnthropicMessage,
  frames: (message) => anthropicEvents(toAnthropicMessage(message)).map(namedEvent),
  refuse({ status, message, requestId }) {
    const type = errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
    return { status, body: { type: 'error', error: { type, message }, request_id: requestId } }
  },
  refuseFull({ requestId }) {
    return this.refuse({ status: 400, message: 'prompt is too long: 250000 tokens > 200000 maximum', requestId })
  },
}

/** Messages as the Messages API writes them. */
interface AnthropicMessage {
  id: string
  type: 'message'
  role: 'assistant'
  model: string
  content: readonly ContentBlock[]
  stop_reason: StopReason
  stop_sequence: null
  usage: Record<string, unknown>
}

type ContentBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | ToolUseBlock
