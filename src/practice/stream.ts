/** A message as server-sent events, in the order of the real API. */
import type { PracticeMessage } from './message.ts'

export interface ServerEvent {
  type: string
  [field: string]: unknown
}

const pieceLength = 24

/** message_start, then start, deltas and stop of each block, then message_delta and message_stop. */
export function eventsOf(message: PracticeMessage): ServerEvent[] {
  const { content, stop_reason, stop_sequence, usage } = message
  const opened = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } }
  return [
    { type: 'message_start', message: opened },
    ...content.flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ]
}

function blockEvents(block: PracticeMessage['content'][number], index: number): ServerEvent[] {
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

/** Cut between code points: half a surrogate pair does not survive UTF-8. */
function pieces(text: string): string[] {
  const letters = [...text]
  const count = Math.ceil(letters.length / pieceLength)
  return Array.from({ length: count }, (_, at) => letters.slice(at * pieceLength, (at + 1) * pieceLength).join(''))
}

/** One event on the wire. */
export function wire(event: ServerEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
