/** What the tool loop asks of an API: one conversation, kept in the API's own shape behind words that all share. */
import type { Usage } from '../../../schemas/usage.ts'
import type { EngineError, EngineTask } from '../engine.ts'
import type { ToolAnswer } from './tools/tool.ts'

/** A call of a tool. */
export interface ModelCall {
  id: string
  name: string
  input: unknown
}

export type ModelBlock = { type: 'text' | 'thinking'; text: string } | ({ type: 'call' } & ModelCall)

export interface ModelResponse {
  blocks: readonly ModelBlock[]
  /** Of this response alone; all 0 where the server does not say. */
  usage: Usage
  /** The model that answered; null: the server does not say. */
  model: string | null
  /** end_turn, tool_use, max_tokens, stop_sequence, pause_turn, refusal, or a word of the API's own. */
  stopReason: string
  /** Whether it was cut inside its last block, a call. */
  lastIsCut: boolean
}

export type Asked = { ok: true; response: ModelResponse } | { ok: false; error: EngineError }

export interface CallResult {
  call: ModelCall
  answer: ToolAnswer
}

export type Unfinished = { usage: Usage; model: string } | null

export interface Session {
  /** The id of the model that is asked. */
  readonly model: string
  /** Asks for one response, once, and keeps it. `forced`: it must call this tool. Rejects only when aborted. */
  ask(forced: string | null, signal: AbortSignal): Promise<Asked>
  /** The response in which the last `ask` was aborted, as far as it had come; absent or null: not known, or there was none. */
  readonly unfinished?: Unfinished
  /** Adds the results of the last response's calls, all of them. */
  addResults(results: readonly CallResult[]): void
  /** Adds what the user says. */
  addUser(text: string): void
}

/** A tool as the model is told of it. */
export interface ToolOffer {
  name: string
  description: string
  /** JSON Schema of an object. */
  inputSchema: { type: 'object'; [keyword: string]: unknown }
}

/** What makes an SDK an engine. */
export interface Api {
  /** The SDK's version. */
  version: string
  /** Who serves the model. */
  provider: string
  /** Why nothing can be sent; null: it can. */
  missing(credentials: EngineTask['credentials']): EngineError | null
  /** `send`: by which every request goes out, at the gate of the account. */
  open(task: EngineTask, offers: readonly ToolOffer[], send: typeof fetch): Session
}
