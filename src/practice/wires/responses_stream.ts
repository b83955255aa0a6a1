/** Turns a response into server-sent events, in the order of the Responses API. */
import type { OutputItem, OutputPart, ResponseBody } from './responses_body.ts'
import { type ServerEvent, splitPieces } from './wire.ts'

/** created, in_progress, then each item from added to done, then completed (or incomplete), numbered. */
export function responseEvents(response: ResponseBody): ServerEvent[] {
  const opened = { ...response, status: 'in_progress', output: [], incomplete_details: null, usage: null }
  const events = [
    { type: 'response.created', response: opened },
    { type: 'response.in_progress', response: opened },
    ...response.output.flatMap(itemEvents),
    { type: `response.${response.status}`, response },
  ]
  return events.map((event, sequence_number) => ({ ...event, sequence_number }))
}

/** A stream that starts well and ends in an error: created, in_progress, failed. */
export function failedEvents(response: ResponseBody): ServerEvent[] {
  const opened = { ...response, status: 'in_progress', error: null }
  const events = [
    { type: 'response.created', response: opened },
    { type: 'response.in_progress', response: opened },
    { type: 'response.failed', response },
  ]
  return events.map((event, sequence_number) => ({ ...event, sequence_number }))
}

function itemEvents(item: OutputItem, output_index: number): ServerEvent[] {
  const at = { item_id: item.id, output_index }
  return [
    { type: 'response.output_item.added', output_index, item: { ...openedItem(item), status: 'in_progress' } },
    ...innerEvents(item, at),
    { type: 'response.output_item.done', output_index, item },
  ]
}

function openedItem(item: OutputItem): OutputItem {
  switch (item.type) {
    case 'message':
      return { ...item, content: [] }
    case 'function_call':
      return { ...item, arguments: '' }
    case 'custom_tool_call':
      return { ...item, input: '' }
    case 'reasoning':
      return { ...item, summary: [] }
    case 'tool_search_call':
    case 'local_shell_call':
      return item
  }
}

interface Place {
  item_id: string
  output_index: number
}

function innerEvents(item: OutputItem, at: Place): ServerEvent[] {
  switch (item.type) {
    case 'message':
      return item.content.flatMap((part, content_index) => partEvents(part, { ...at, content_index }))
    case 'function_call': {
      const type = 'response.function_call_arguments'
      const deltas = splitPieces(item.arguments).map((delta) => ({ type: `${type}.delta`, ...at, delta }))
      return [...deltas, { type: `${type}.done`, ...at, name: item.name, arguments: item.arguments }]
    }
    case 'custom_tool_call': {
      const type = 'response.custom_tool_call_input'
      const deltas = splitPieces(item.input).map((delta) => ({ type: `${type}.delta`, ...at, delta }))
      return [...deltas, { type: `${type}.done`, ...at, input: item.input }]
    }
    case 'reasoning':
      return item.summary.flatMap((part, summary_index) => summaryEvents(part, { ...at, summary_index }))
    case 'tool_search_call':
    case 'local_shell_call':
      return []
  }
}

function summaryEvents(part: { type: string; text: string }, at: Place & { summary_index: number }): ServerEvent[] {
  const type = 'response.reasoning_summary'
  return [
    { type: `${type}_part.added`, ...at, part: { ...part, text: '' } },
    ...splitPieces(part.text).map((delta) => ({ type: `${type}_text.delta`, ...at, delta })),
    { type: `${type}_text.done`, ...at, text: part.text },
    { type: `${type}_part.done`, ...at, part },
  ]
}

function partEvents(part: OutputPart, at: Place & { content_index: number }): ServerEvent[] {
  const isText = part.type === 'output_text'
  const text = isText ? part.text : part.refusal
  const type = `response.${part.type}`
  const logprobs = isText ? { logprobs: [] } : {}
  return [
    { type: 'response.content_part.added', ...at, part: isText ? { ...part, text: '' } : { ...part, refusal: '' } },
    ...splitPieces(text).map((delta) => ({ type: `${type}.delta`, ...at, delta, ...logprobs })),
    isText ? { type: `${type}.done`, ...at, text, ...logprobs } : { type: `${type}.done`, ...at, refusal: text },
    { type: 'response.content_part.done', ...at, part },
  ]
}
