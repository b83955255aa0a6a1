/** The OpenAI SDK as an API for the tool loop, for OpenAI's own server and compatible ones, and for the clouds. */
import OpenAI from 'openai'
import { VERSION } from 'openai/version'
import { readCounts } from '../answers/response_usage.ts'
import { toStopReason } from '../answers/run_outcome.ts'
import { findCloud, splitCloud } from '../clouds/table.ts'
import type { EngineTask } from '../engine.ts'
import { type OpenaiEffort, openaiEffort } from '../models/effort_levels.ts'
import { openaiModel } from '../models/providers.ts'
import { toEngineError } from '../tool_loop/sdk_error.ts'
import { temperatureSetting } from '../tool_loop/sdk_settings.ts'
import type {
  CallResult,
  ModelAnswer,
  ModelApi,
  ModelBlock,
  ModelResponse,
  ModelSession,
  ToolOffer,
  UnfinishedResponse,
} from '../tool_loop/session.ts'
import { fillSystemPrompt } from '../tool_loop/session.ts'
import { isOwnServer, openaiBaseUrl } from './address.ts'
import {
  answerFormats,
  type ChatAnswer,
  canDropFormat,
  canDropTools,
  parseToolArguments,
  readChatAnswer,
  resultText,
  withoutTools,
} from './chat_answer.ts'
import { openOpenaiClient } from './client.ts'
import { ResponsesSession } from './responses_session.ts'

class ChatSession implements ModelSession {
  readonly model: string
  readonly #client: OpenAI
  readonly #task: EngineTask
  #tools: OpenAI.ChatCompletionFunctionTool[]
  /** Ways to ask for the answer that the server has not refused; null: by its tools. */
  #formats: ReturnType<typeof answerFormats> | null = null
  /** Some servers refuse the option for it. */
  #asksForUsage = true
  #messages: OpenAI.ChatCompletionMessageParam[]
  readonly #temperature: { temperature?: number }
  readonly #effort: OpenaiEffort | null

  constructor(task: EngineTask, offers: readonly ToolOffer[], send: typeof fetch) {
    this.#task = task
    this.model = splitCloud(openaiModel(task.model)).model ?? ''
    this.#client = openOpenaiClient(task, send)
    this.#tools = offers.map(({ name, description, inputSchema: parameters }) => {
      return { type: 'function', function: { name, description, parameters } }
    })
    this.#temperature = temperatureSetting(task)
    this.#effort = openaiEffort(task.effort)
    this.#messages = firstMessages(task)
  }

  async ask(forced: string | null, signal: AbortSignal): Promise<ModelAnswer> {
    if (this.#formats !== null) return this.#askForText(this.#formats, signal)
    const asked = await this.#askOnce(forced, signal)
    const isFirst = !this.#messages.some(({ role }) => role === 'assistant')
    if (asked.ok || !isFirst || !canDropTools(asked.error, this.#task)) return asked
    this.#tools = []
    this.#messages = firstMessages(withoutTools(this.#task))
    this.#formats = answerFormats(this.#task)
    return this.#askForText(this.#formats, signal)
  }

  async #askForText(formats: ReturnType<typeof answerFormats>, signal: AbortSignal): Promise<ModelAnswer> {
    for (;;) {
      const asked = await this.#askOnce(null, signal, formats[0])
      if (asked.ok || formats.length < 2 || !canDropFormat(asked.error)) return asked
      formats.shift()
    }
  }

  async #askOnce(forced: string | null, signal: AbortSignal, format = {}): Promise<ModelAnswer> {
    const asked = await this.#send(forced, signal, format)
    const isRefused = !asked.ok && asked.error.kind === 'bad_request' && asked.error.message.includes('stream_options')
    if (!isRefused || !this.#asksForUsage) return asked
    this.#asksForUsage = false
    return this.#send(forced, signal, format)
  }

  async #send(forced: string | null, signal: AbortSignal, format: object): Promise<ModelAnswer> {
    const params = {
      model: this.model,
      ...this.#temperature,
      ...(this.#effort === null ? {} : { reasoning_effort: this.#effort }),
      messages: this.#messages,
      ...(this.#tools.length > 0 ? { tools: this.#tools } : {}),
      ...(forced === null ? {} : { tool_choice: { type: 'function' as const, function: { name: forced } } }),
      ...format,
      stream: true as const,
      ...(this.#asksForUsage ? { stream_options: { include_usage: true } } : {}),
    }
    try {
      const answer = await readChatAnswer(await this.#client.chat.completions.create(params, { signal }).asResponse())
      signal.throwIfAborted() // an aborted stream may end like a complete one
      this.#messages.push(toKeptMessage(answer))
      return { ok: true, response: toChatResponse(answer) }
    } catch (error) {
      signal.throwIfAborted()
      return { ok: false, error: toEngineError(error, this.#client.baseURL, OpenAI) }
    }
  }

  addResults(results: readonly CallResult[]): void {
    for (const { call, answer } of results) {
      const image = answer.image === undefined ? '' : '\n(an image, which this API cannot show you)'
      this.#messages.push({ role: 'tool', tool_call_id: call.id, content: `${resultText(answer)}${image}` })
    }
  }

  addUser(text: string): void {
    this.#messages.push({ role: 'user', content: text })
  }
}

function firstMessages(task: EngineTask): OpenAI.ChatCompletionMessageParam[] {
  const content = fillSystemPrompt(task)
  const user = { role: 'user' as const, content: firstText(task) }
  return content === '' ? [user] : [{ role: 'system', content }, user]
}

/** Many servers of this API serve models without vision and refuse images. */
function firstText({ prompt, images = [] }: EngineTask): string {
  const note = `(The ${images.length} images of this message cannot be shown over this API.)`
  return images.length === 0 ? prompt : `${note}\n\n${prompt}`
}

/** The answer as it is sent back to the model. */
function toKeptMessage({ text, refusal, calls }: ChatAnswer): OpenAI.ChatCompletionAssistantMessageParam {
  const kept = calls.map(({ id, ...called }) => ({ id, type: 'function' as const, function: called }))
  return { role: 'assistant', content: text || refusal || null, ...(kept.length > 0 ? { tool_calls: kept } : {}) }
}

function toChatResponse({ text, refusal, calls, finishReason, usage, model }: ChatAnswer): ModelResponse {
  const stopReason = refusal === '' ? toStopReason((finishReason ?? 'stop').toLowerCase()) : 'refusal'
  const blocks: ModelBlock[] = calls.map(({ id, name, arguments: given }) => {
    return { type: 'call', id, name, input: parseToolArguments(given) }
  })
  return {
    blocks: [{ type: 'text', text: text || refusal }, ...blocks],
    usage: readCounts({ ...usage }),
    ...(usage?.cost == null ? {} : { usd: usage.cost }),
    model,
    stopReason,
    lastIsCut: stopReason === 'max_tokens' && calls.length > 0,
  }
}

/** The API of the cloud that the model's name chooses, or OpenAI's own. */
export function createOpenaiApi(model: string | null): ModelApi {
  const { cloud } = splitCloud(model)
  return {
    version: VERSION,
    provider: cloud ?? 'openai',
    missing(credentials) {
      const gap = cloud === null ? null : findCloud(cloud).findGap(credentials)?.message
      const message = cloud === null && !credentials.OPENAI_API_KEY ? 'OPENAI_API_KEY is not set' : gap
      return message == null ? null : { kind: 'credentials', message, retryable: true, retryAfterMs: null }
    },
    open: async (task, offers, send) => new OpenaiSession(task, offers, send),
  }
}

/** The API of each server, as found by this process: all runs of a benchmark use the same API of a server. */
const apis = new Map<string, 'responses' | 'chat'>()

class OpenaiSession implements ModelSession {
  readonly #task: EngineTask
  readonly #offers: readonly ToolOffer[]
  readonly #send: typeof fetch
  readonly #url: string
  #session: ResponsesSession | ChatSession

  constructor(task: EngineTask, offers: readonly ToolOffer[], send: typeof fetch) {
    this.#send = send
    this.#task = task
    this.#offers = offers
    const { cloud } = splitCloud(task.model)
    this.#url = cloud === null ? openaiBaseUrl(task.credentials) : findCloud(cloud).server(task.credentials)
    const isChat = (cloud !== null && findCloud(cloud).isChat) || apis.get(this.#url) === 'chat'
    this.#session = isChat ? new ChatSession(task, offers, send) : new ResponsesSession(task, offers, send)
  }

  get model(): string {
    return this.#session.model
  }

  get unfinished(): UnfinishedResponse {
    return this.#session instanceof ResponsesSession ? this.#session.unfinished : null
  }

  async ask(forced: string | null, signal: AbortSignal): Promise<ModelAnswer> {
    const session = this.#session
    const asked = await session.ask(forced, signal)
    if (session instanceof ChatSession) return asked
    if (asked.ok) apis.set(this.#url, 'responses')
    if (asked.ok || isOwnServer(this.#url)) return asked
    const isAbsent = session.isAbsent && apis.get(this.#url) !== 'responses'
    // a ChatSession can ask without tools
    if (!isAbsent && !(session.isFirst && canDropTools(asked.error, this.#task))) return asked
    const chat = new ChatSession(this.#task, this.#offers, this.#send)
    this.#session = chat
    const again = await chat.ask(forced, signal)
    if (again.ok && isAbsent) apis.set(this.#url, 'chat')
    return again
  }

  addResults(results: readonly CallResult[]): void {
    this.#session.addResults(results)
  }

  addUser(text: string): void {
    this.#session.addUser(text)
  }
}
