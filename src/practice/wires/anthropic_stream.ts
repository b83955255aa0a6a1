/** Turns a message into server-sent events, in the order of the Messages API. */
import type { AnthropicMessage, ContentBlock } from './anthropic_message.ts'
import { type ServerEvent, splitPieces } from './wire.ts'

/** message_start, then start, deltas and stop of each block, then message_delta and message_stop. */
export function anthropicEvents(message: AnthropicMessage): ServerEvent[] {
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

/** A block at its start, and its deltas. */
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
