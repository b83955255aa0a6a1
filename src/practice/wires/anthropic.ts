/** The Messages API of Anthropic: its answers and its errors. */
import type { AnswerBlock, PracticeMessage, StopReason, ToolUseBlock } from '../dialogue.ts'
import { readMessages } from './anthropic_request.ts'
import { eventsOf } from './anthropic_stream.ts'
import { namedEvent, type Wire } from './wire.ts'

export type ContentBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | ToolUseBlock

export interface AnthropicMessage {
  id: string
  type: 'message'
  role: 'assistant'
  model: string
  content: readonly ContentBlock[]
  stop_reason: StopReason
  stop_sequence: null
  usage: Record<string, unknown>
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

function messageOf({ id, model, content, stopReason, usage }: PracticeMessage): AnthropicMessage {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: content.map(blockOf),
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

function blockOf(block: AnswerBlock): ContentBlock {
  if (block.type === 'tool_use') return block
  const { type, text } = block
  return type === 'text' ? { type, text } : { type, thinking: text, signature: 'practice' }
}

export const anthropicWire: Wire = {
  path: '/v1/messages',
  requestIdHeader: 'request-id',
  read: readMessages,
  whole: messageOf,
  frames: (message) => eventsOf(messageOf(message)).map(namedEvent),
  refuse({ status, message, requestId }) {
    const type = errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
    return { status, body: { type: 'error', error: { type, message }, request_id: requestId } }
  },
}
