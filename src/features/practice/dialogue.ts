/** A request and its answer as the practice model sees them, whatever the API. */
import type * as z from 'zod'
import { formatJsonPath } from '../../base/json/json.ts'

/** A part of a message. The names are those of the Messages API; the other wires translate into them. */
export interface Block {
  type: string
  text?: string | undefined
  id?: string | undefined
  name?: string | undefined
  input?: unknown
  tool_use_id?: string | undefined
  is_error?: boolean | undefined
  content?: string | Block[] | undefined
}

export interface Message {
  role: 'user' | 'assistant' | 'system'
  content: string | Block[]
}

/** How a wire writes a tool call; `structured`: as the JSON text of a structured answer instead of a call. */
type ToolKind = 'function' | 'custom' | 'local_shell' | 'tool_search' | 'structured'

export interface OfferedTool {
  name: string
  kind?: ToolKind | undefined
  /** The group of tools that it belongs to, on wires with groups. */
  namespace?: string | undefined
}

export interface Dialogue {
  model: string
  system?: string | Block[] | undefined
  messages: readonly Message[]
  tools?: readonly OfferedTool[] | undefined
  stream?: boolean | undefined
}

export type ReadDialogue = { ok: true; request: Dialogue } | { ok: false; why: string }

/** The field of a request that is wrong, and why. */
export function findBodyMistake({ issues: [issue] }: z.ZodError): string {
  return `${formatJsonPath(issue?.path ?? []).slice(2) || 'body'}: ${issue?.message ?? 'not a request'}`
}

export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'stop_sequence' | 'pause_turn' | 'refusal'

type TextBlock = { type: 'thinking' | 'text'; text: string }
export type ToolUseBlock = { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }
export type AnswerBlock = TextBlock | ToolUseBlock

/** What the model answers. */
export interface PracticeMessage {
  /** 24 hex digits; a wire adds its own prefix. */
  id: string
  model: string
  content: readonly AnswerBlock[]
  stopReason: StopReason
  usage: PracticeUsage
}

/** Tokens: `input` excludes tokens read from or written to a cache, `reasoning` is part of `output`. */
interface PracticeUsage {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  reasoning: number
}
