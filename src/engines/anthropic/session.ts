/** A conversation over Anthropic's Messages API. */
import Anthropic from '@anthropic-ai/sdk'
import type { TaskImage } from '../../base/fs/image_type.ts'
import { readCounts } from '../answers/response_usage.ts'
import { type MessagesClient, splitCloud } from '../clouds/table.ts'
import type { EngineTask } from '../engine.ts'
import { anthropicEffort } from '../models/effort_levels.ts'
import { anthropicModel } from '../models/providers.ts'
import { toEngineError } from '../tool_loop/sdk_error.ts'
import { temperatureSetting } from '../tool_loop/sdk_settings.ts'
import {
  type CallResult,
  fillSystemPrompt,
  type ModelAnswer,
  type ModelBlock,
  type ModelResponse,
  type ModelSession,
  type ToolOffer,
  type UnfinishedResponse,
} from '../tool_loop/session.ts'

/** The most output tokens of one response. */
const maxTokens = 32_000

export class AnthropicSession implements ModelSession {
  readonly model: string
  readonly #client: MessagesClient
  readonly #request: Omit<Anthropic.MessageStreamParams, 'messages'>
  readonly #messages: Anthropic.MessageParam[]
  #unfinished: UnfinishedResponse = null

  constructor(task: EngineTask, offers: readonly ToolOffer[], client: MessagesClient) {
    this.model = sentModel(task)
    this.#client = client
    this.#request = { ...commonParams(task, offers), metadata: { user_id: task.sessionId } }
    this.#messages = [firstMessage(task)]
  }

  /** The server reports input tokens at the start of a response, but output tokens only at its end. */
  get unfinished(): UnfinishedResponse {
    return this.#unfinished
  }

  async ask(forced: string | null, signal: AbortSignal): Promise<ModelAnswer> {
    const choice = forced === null ? {} : { tool_choice: { type: 'tool' as const, name: forced } }
    const params = { ...this.#request, messages: markCacheEnd(this.#messages), ...choice }
    const stream = this.#client.messages.stream(params, { signal })
    try {
      const message = await stream.finalMessage()
      if (message.content.length > 0) this.#messages.push({ role: 'assistant', content: message.content })
      return { ok: true, response: toAnthropicResponse(message) }
    } catch (error) {
      const begun = signal.aborted ? stream.currentMessage : undefined
      if (begun !== undefined) this.#unfinished = { usage: readCounts({ ...begun.usage }), model: begun.model }
      signal.throwIfAborted()
      return { ok: false, error: toEngineError(error, this.#client.baseURL, Anthropic) }
    }
  }

  addResults(results: readonly CallResult[]): void {
    this.#messages.push({ role: 'user', content: results.map(resultBlock) })
  }

  addUser(text: string): void {
    this.#messages.push(userMessage(text))
  }
}

/** The model's id, without the cloud that it runs on. */
function sentModel({ model }: EngineTask): string {
  return splitCloud(anthropicModel(model)).model ?? ''
}

function commonParams(task: EngineTask, offers: readonly ToolOffer[]): Omit<Anthropic.MessageStreamParams, 'messages'> {
  const effort = anthropicEffort(task.effort)
  const tools = offers.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }))
  const text = fillSystemPrompt(task)
  return {
    model: sentModel(task),
    max_tokens: maxTokens,
    ...(text !== '' && { system: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }] }),
    ...(tools.length > 0 ? { tools } : {}),
    ...temperatureSetting(task),
    ...(effort === null ? {} : { output_config: { effort } }),
  }
}

/** The only request of a task that must call this tool. */
export function buildOnlyRequest(
  task: EngineTask,
  offers: readonly ToolOffer[],
  forced: string,
): Omit<Anthropic.MessageStreamParams, 'stream'> {
  const messages = markCacheEnd([firstMessage(task)])
  return { ...commonParams(task, offers), messages, tool_choice: { type: 'tool', name: forced } }
}

/** The beginning that other tasks share is a block of its own, up to which the server may cache. Images come before the last text. */
function firstMessage({ prompt, sharedPrefix = 0, images = [] }: EngineTask): Anthropic.MessageParam {
  const shown = images.map(imageBlock)
  if (sharedPrefix === 0 || sharedPrefix >= prompt.length)
    return { role: 'user', content: [...shown, { type: 'text', text: prompt }] }
  const shared = {
    type: 'text' as const,
    text: prompt.slice(0, sharedPrefix),
    cache_control: { type: 'ephemeral' as const },
  }
  return { role: 'user', content: [shared, ...shown, { type: 'text', text: prompt.slice(sharedPrefix) }] }
}

function userMessage(text: string): Anthropic.MessageParam {
  return { role: 'user', content: [{ type: 'text', text }] }
}

/** Marks the end of the last message, so that the server may cache everything before it. */
function markCacheEnd(messages: readonly Anthropic.MessageParam[]): Anthropic.MessageParam[] {
  const last = messages.at(-1)
  if (last?.role !== 'user' || typeof last.content === 'string') return [...messages]
  const block = last.content.at(-1)
  if (block?.type !== 'text' && block?.type !== 'tool_result') return [...messages]
  const end = { ...block, cache_control: { type: 'ephemeral' as const } }
  return [...messages.slice(0, -1), { role: 'user', content: [...last.content.slice(0, -1), end] }]
}

function imageBlock({ mediaType, data }: TaskImage): Anthropic.ImageBlockParam {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } }
}

function resultBlock({ call, answer: { text, isError, image } }: CallResult): Anthropic.ToolResultBlockParam {
  const content: Anthropic.ToolResultBlockParam['content'] = [{ type: 'text', text: text === '' ? '(empty)' : text }]
  if (image !== undefined) content.push(imageBlock(image))
  return { type: 'tool_result', tool_use_id: call.id, content, ...(isError ? { is_error: true } : {}) }
}

/** Converts a whole message. */
export function toAnthropicResponse(message: Anthropic.Message): ModelResponse {
  const stopReason = message.stop_reason ?? 'end_turn'
  return {
    blocks: message.content.flatMap(toModelBlocks),
    usage: readCounts({ ...message.usage }),
    model: message.model || null,
    stopReason,
    lastIsCut: stopReason === 'max_tokens' && message.content.at(-1)?.type === 'tool_use',
  }
}

function toModelBlocks(block: Anthropic.ContentBlock): ModelBlock[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }]
  if (block.type === 'thinking') return [{ type: 'thinking', text: block.thinking }]
  return block.type === 'tool_use' ? [{ type: 'call', id: block.id, name: block.name, input: block.input }] : []
}
