/** The Responses API of OpenAI: its answers. */
import type { OfferedTool, PracticeMessage, ToolUseBlock } from '../dialogue.ts'
import { callId, contextCode, contextRefusal, refuseOpenai } from './openai_items.ts'
import { readResponses } from './responses_request.ts'
import { messageRoute, namedEvent, type ServerEvent, splitPieces, type Wire } from './wire.ts'

/** created, in_progress, then each item from added to done, then completed (or incomplete), numbered. */
function responseEvents(response: ResponseBody): ServerEvent[] {
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
function failedEvents(response: ResponseBody): ServerEvent[] {
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

function toResponseBody(message: PracticeMessage, tools: readonly OfferedTool[]): ResponseBody {
  const isCut = message.stopReason === 'max_tokens'
  return {
    id: `resp_${message.id}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status: isCut ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    instructions: null,
    metadata: {},
    model: message.model,
    output: message.content.map((block, index): OutputItem => {
      const itemId = `${message.id}_${index}`
      if (block.type === 'tool_use') return callItem(block, itemId, tools)
      if (block.type === 'thinking') return reasoningItem(itemId, block.text)
      const part: OutputPart =
        message.stopReason === 'refusal' ? { type: 'refusal', refusal: block.text } : textPart(block.text)
      return messageItem(itemId, part)
    }),
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: toResponseCounts(message),
  }
}

function toResponseCounts({ usage }: PracticeMessage) {
  const input = usage.input + usage.cacheRead + usage.cacheWrite
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
  }
}

function reasoningItem(id: string, text: string): OutputItem {
  return { type: 'reasoning', id: `rs_${id}`, summary: [{ type: 'summary_text', text }], encrypted_content: 'practice' }
}

function messageItem(id: string, part: OutputPart): OutputItem {
  return { type: 'message', id: `msg_${id}`, status: 'completed', role: 'assistant', content: [part] }
}

function textPart(text: string): OutputPart {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

function callItem({ id, name, input }: ToolUseBlock, itemId: string, tools: readonly OfferedTool[]): OutputItem {
  const { kind = 'function', namespace } = tools.find((tool) => tool.name === name) ?? {}
  const common = { call_id: callId(id), status: 'completed' }
  switch (kind) {
    case 'structured':
      return messageItem(itemId, textPart(JSON.stringify(input)))
    case 'custom':
      return { type: 'custom_tool_call', id: `ctc_${itemId}`, ...common, name, input: String(input.input ?? '') }
    case 'tool_search':
      return { type: 'tool_search_call', id: `tsc_${itemId}`, ...common, execution: 'client', arguments: input }
    case 'local_shell':
      return { type: 'local_shell_call', id: `lsh_${itemId}`, ...common, action: { type: 'exec', env: {}, ...input } }
    case 'function': {
      const call = {
        type: 'function_call' as const,
        id: `fc_${itemId}`,
        ...common,
        name,
        arguments: JSON.stringify(input),
      }
      return namespace === undefined ? call : { ...call, namespace }
    }
  }
}

export const responsesWire: Wire = {
  root: '/v1/responses',
  route: (path) => (path === '/v1/responses' ? messageRoute : null),
  requestIdHeader: 'x-request-id',
  read: readResponses,
  whole: toResponseBody,
  frames: (message, tools) => responseEvents(toResponseBody(message, tools)).map(namedEvent),
  refuse: refuseOpenai,
  refuseFull({ model, stream, requestId }) {
    const message = 'Your input exceeds the context window of this model. Please adjust your input and try again.'
    if (!stream) return contextRefusal(message, 'input')
    const failed = { id: `resp_${requestId}`, object: 'response', model, output: [], usage: null, status: 'failed' }
    return { frames: failedEvents({ ...failed, error: { code: contextCode, message } }).map(namedEvent) }
  },
}

/** Responses as the Responses API writes them. */
interface ResponseBody {
  id: string
  output: OutputItem[]
  status: string
  usage: unknown
  [field: string]: unknown
}

type OutputItem =
  | { type: 'message'; id: string; status: string; role: 'assistant'; content: OutputPart[] }
  | {
      type: 'function_call'
      id: string
      call_id: string
      name: string
      namespace?: string
      arguments: string
      status: string
    }
  | { type: 'custom_tool_call'; id: string; call_id: string; name: string; input: string; status: string }
  | { type: 'reasoning'; id: string; summary: { type: 'summary_text'; text: string }[]; encrypted_content: string }
  | { type: 'tool_search_call'; id: string; call_id: string; execution: 'client'; arguments: unknown; status: string }
  | { type: 'local_shell_call'; id: string; call_id: string; action: unknown; status: string }

type OutputPart = TextPart | RefusalPart

interface TextPart {
  type: 'output_text'
  text: string
  annotations: readonly never[]
  logprobs: readonly never[]
}

interface RefusalPart {
  type: 'refusal'
  refusal: string
}
