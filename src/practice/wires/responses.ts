/** The Responses API of OpenAI: its answers. */
import type { OfferedTool, PracticeMessage, ToolUseBlock } from '../dialogue.ts'
import { contextCode, contextRefusal, refuseOpenai } from './openai_error.ts'
import { callId } from './openai_items.ts'
import type { OutputItem, OutputPart, ResponseBody } from './responses_body.ts'
import { readResponses } from './responses_request.ts'
import { failedEvents, responseEvents } from './responses_stream.ts'
import { messageRoute, namedEvent, type Wire } from './wire.ts'

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
    output: toOutputItems(message, tools),
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

function toOutputItems({ id, content, stopReason }: PracticeMessage, tools: readonly OfferedTool[]): OutputItem[] {
  return content.map((block, index): OutputItem => {
    const itemId = `${id}_${index}`
    if (block.type === 'tool_use') return callItem(block, itemId, tools)
    if (block.type === 'thinking') return reasoningItem(itemId, block.text)
    const part = stopReason === 'refusal' ? refusalPart(block.text) : textPart(block.text)
    return messageItem(itemId, part)
  })
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

function refusalPart(refusal: string): OutputPart {
  return { type: 'refusal', refusal }
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
