/** The Anthropic Messages API as it goes over the wire: a message as JSON or as server-sent events, errors in its shape. */
import type { Answer } from './answer.ts'
import type { MessagesRequest } from './conversation.ts'

export interface Reply {
  id: string
  type: 'message'
  role: 'assistant'
  model: string
  content: (
    | { type: 'text'; text: string }
    | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }
  )[]
  stop_reason: string
  stop_sequence: null
  usage: {
    input_tokens: number
    output_tokens: number
    cache_creation_input_tokens: number
    cache_read_input_tokens: number
  }
}

/** The message. Tool use ids carry the seed, so that later turns of the conversation know it. */
export function replyOf(answer: Answer, at: { request: MessagesRequest; seed: number; number: number }): Reply {
  const { request, seed, number } = at
  const content: Reply['content'] = answer.toolCalls.map((call, index) => ({
    type: 'tool_use',
    id: `toolu_p${seed}_${number}_${index}`,
    ...call,
  }))
  if (answer.text !== '' || content.length === 0) content.unshift({ type: 'text', text: answer.text })
  return {
    id: `msg_practice_${number}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content,
    stop_reason: answer.stopReason,
    stop_sequence: null,
    usage: {
      input_tokens: countTokens(request),
      output_tokens: Math.ceil(JSON.stringify(content).length / 4),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  }
}

/** About four characters a token. */
export function countTokens(request: MessagesRequest): number {
  const { system, messages, tools } = request
  return Math.ceil(JSON.stringify({ system, messages, tools }).length / 4)
}

/** The message as server-sent events, in the API's order. */
export function streamOf(reply: Reply): string[] {
  const { content, stop_reason, usage, ...rest } = reply
  const begin = { ...rest, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } }
  return [
    event('message_start', { message: begin }),
    event('ping', {}),
    ...content.flatMap((block, index) => blockEvents(block, index)),
    event('message_delta', {
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    }),
    event('message_stop', {}),
  ]
}

function blockEvents(block: Reply['content'][number], index: number): string[] {
  const empty = block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} }
  const text = block.type === 'text' ? block.text : JSON.stringify(block.input)
  const pieces = text.match(/[\s\S]{1,400}/g) ?? ['']
  const delta = (piece: string) =>
    block.type === 'text' ? { type: 'text_delta', text: piece } : { type: 'input_json_delta', partial_json: piece }
  return [
    event('content_block_start', { index, content_block: empty }),
    ...pieces.map((piece) => event('content_block_delta', { index, delta: delta(piece) })),
    event('content_block_stop', { index }),
  ]
}

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

/** An error body in the API's shape. */
export function errorBody(status: number, message: string): string {
  return JSON.stringify({
    type: 'error',
    error: { type: errorTypes[status] ?? 'api_error', message },
    request_id: 'req_practice',
  })
}
