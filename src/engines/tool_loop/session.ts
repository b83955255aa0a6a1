/** The interface of an API for the tool loop: one conversation, stored in the API's own format, with types and a system prompt that all APIs share. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import Handlebars from 'handlebars'
import type { Usage } from '../../../schemas/usage.ts'
import type { EngineError, EngineTask } from '../engine.ts'
import type { ToolAnswer } from './tools/tool.ts'

export interface ModelCall {
  id: string
  name: string
  input: unknown
}

export type ModelBlock = { type: 'text' | 'thinking'; text: string } | ({ type: 'call' } & ModelCall)

export interface ModelResponse {
  blocks: readonly ModelBlock[]
  /** Of this response alone; all 0 if the server does not report it. */
  usage: Usage
  /** Dollars, if the server reports them. */
  usd?: number
  /** The model that answered; null: the server does not report it. */
  model: string | null
  /** end_turn, tool_use, max_tokens, stop_sequence, pause_turn, refusal, or another word of the API. */
  stopReason: string
  /** Whether the response was cut off inside its last block, a call. */
  lastIsCut: boolean
}

export type ModelAnswer = { ok: true; response: ModelResponse } | { ok: false; error: EngineError }

export interface CallResult {
  call: ModelCall
  answer: ToolAnswer
}

/** What is known of an aborted response; null: nothing. */
export type UnfinishedResponse = { usage: Usage; model: string } | null

export interface ModelSession {
  /** The id of the requested model. */
  readonly model: string
  /** Requests one response, once, and adds it to the conversation. `forced`: it must call this tool. Rejects only when aborted. */
  ask(forced: string | null, signal: AbortSignal): Promise<ModelAnswer>
  /** The response during which the last `ask` was aborted, as far as it had come; absent or null: unknown, or there was none. */
  readonly unfinished?: UnfinishedResponse
  /** Adds the results of the last response's calls, all of them. */
  addResults(results: readonly CallResult[]): void
  /** Adds a message of the user. */
  addUser(text: string): void
}

/** A tool as it is described to the model. */
export interface ToolOffer {
  name: string
  description: string
  /** JSON Schema of an object. */
  inputSchema: { type: 'object'; [keyword: string]: unknown }
}

/** What an SDK must provide to work as an engine. */
export interface ModelApi {
  /** The SDK's version. */
  version: string
  /** The provider or cloud that serves the model. */
  provider: string
  /** Why no request can be sent; null: requests can be sent. */
  missing(credentials: EngineTask['credentials']): EngineError | null
  /** `send` sends every request, under the account's rate limit. An error: a package that it needs is not installed. */
  open(task: EngineTask, offers: readonly ToolOffer[], send: typeof fetch): Promise<ModelSession | EngineError>
}

const template = Handlebars.compile(readFileSync(new URL('./system_prompt.md', import.meta.url), 'utf8'), {
  strict: true,
  noEscape: true,
})

type PromptInput = Pick<EngineTask, 'skills' | 'cwd' | 'tools' | 'environment'>

/**
 * Fills the prompt; '' where there is nothing to say, as for a judge. The task's own texts come first. It lists skills with name, description
 * and path below the working folder, without their bodies.
 */
export function fillSystemPrompt({ skills, cwd, tools, environment }: PromptInput): string {
  const listed = skills.map(({ name, description, path: folder }) => ({
    name,
    description: description.replace(/\s+/g, ' ').trim(),
    file: path.relative(cwd, path.join(folder, 'SKILL.md')),
  }))
  const { rules = [], instructions, systemPrompt } = environment ?? {}
  const told = instructions === undefined ? rules : [{ name: 'AGENTS.md', text: instructions }, ...rules]
  const identity = systemPrompt ?? null
  return template({ isAgent: tools === 'all', identity, rules: told, skills: listed }).trim()
}
