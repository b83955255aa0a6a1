/** Messages as the Messages API writes them. */
import type { StopReason, ToolUseBlock } from '../dialogue.ts'

export interface AnthropicMessage {
  id: string
  type: 'message'
  role: 'assistant'
  model: string
  content: readonly ContentBlock[]
  stop_reason: StopReason
  stop_sequence: null
  usage: Record<string, unknown>
}

export type ContentBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | ToolUseBlock
