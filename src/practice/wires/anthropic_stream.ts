/** A message as server-sent events, in the order of the Messages API. */
import type { AnswerBlock } from '../dialogue.ts'
import type { AnthropicMessage } from './anthropic.ts'
import { pieces, type ServerEvent } from './wire.ts'

/** message_start, then start, deltas and stop of each block, then message_delta and message_stop. */
export function eventsOf(message: AnthropicMessage): ServerEvent[] {
  const { content, stop_reason, stop_sequence, usage } = message
  const opened = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } }
  return [
    { type: 'message_start', message: opened },
    ...content.flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ]
}

function blockEvents(block: AnswerBlock, index: number): ServerEvent[] {
  const isText = block.type === 'text'
  const deltas = isText
    ? pieces(block.text).map((text) => ({ type: 'text_delta', text }))
    : pieces(JSON.stringify(block.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
  return [
    {
      type: 'content_block_start',
      index,
      content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} },
    },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}
