/** Responses as the Responses API writes them. */

export interface ResponseBody {
  id: string
  output: OutputItem[]
  status: string
  usage: unknown
  [field: string]: unknown
}

export type OutputItem =
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

export type OutputPart = TextPart | RefusalPart

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
