/** The Messages API of Anthropic: its answers and its errors. */
import type { AnswerBlock, PracticeMessage } from '../dialogue.ts'
import type { AnthropicMessage, ContentBlock } from './anthropic_message.ts'
import { readMessages } from './anthropic_request.ts'
import { anthropicEvents } from './anthropic_stream.ts'
import { messageRoute, namedEvent, type Wire } from './wire.ts'

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
