/** Converts a response of the Responses API to the tool loop's types. */
import type OpenAI from 'openai'
import { readCounts } from '../answers/response_usage.ts'
import type { ModelBlock, ModelResponse } from '../tool_loop/session.ts'
import { parseToolArguments } from './chat_answer.ts'

type Response = OpenAI.Responses.Response

/** Converts the response; a refusal becomes a text with its own stop reason. */
export function toModelResponse(response: Response): ModelResponse {
  const stopReason = responseStopReason(response)
  return {
    blocks: response.output.flatMap(toOutputBlocks),
    usage: readCounts({ ...response.usage }),
    model: response.model || null,
    stopReason,
    lastIsCut: stopReason === 'max_tokens' && response.output.at(-1)?.type === 'function_call',
  }
}

function responseStopReason({ incomplete_details: incomplete, output }: Response): string {
  if (incomplete?.reason === 'max_output_tokens') return 'max_tokens'
  if (incomplete?.reason === 'content_filter') return 'refusal'
  const refused = output.some((item) => item.type === 'message' && item.content.some(({ type }) => type === 'refusal'))
  if (refused) return 'refusal'
  return output.some(({ type }) => type === 'function_call') ? 'tool_use' : 'end_turn'
}

function toOutputBlocks(item: OpenAI.Responses.ResponseOutputItem): ModelBlock[] {
  switch (item.type) {
    case 'message':
      return item.content.map((part) => ({ type: 'text', text: part.type === 'refusal' ? part.refusal : part.text }))
    case 'reasoning':
      return [...item.summary, ...(item.content ?? [])].map(({ text }) => ({ type: 'thinking', text }))
    case 'function_call':
      return [{ type: 'call', id: item.call_id, name: item.name, input: parseToolArguments(item.arguments) }]
    default:
      return []
  }
}
