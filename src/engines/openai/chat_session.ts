/** A conversation over the Chat Completions API, for compatible servers that have no Responses API. */
import OpenAI from 'openai'
import * as z from 'zod'
import type { Usage } from '../../../schemas/usage.ts'
import { toStopReason } from '../answers/stop_reason.ts'
import { splitCloud } from '../clouds/table.ts'
import type { EngineTask } from '../engine.ts'
import { type OpenaiEffort, openaiEffort } from '../models/effort_levels.ts'
import { openaiModel } from '../models/providers.ts'
import { toEngineError } from '../tool_loop/sdk_error.ts'
import type {
  CallResult,
  ModelAnswer,
  ModelBlock,
  ModelResponse,
  ModelSession,
  ToolOffer,
} from '../tool_loop/session.ts'
import { fillSystemPrompt } from '../tool_loop/system_prompt.ts'
import { temperatureSetting } from '../tool_loop/temperature.ts'
import { answerFormats, canDropTools, withoutTools } from './chat_formats.ts'
import { openOpenaiClient } from './client.ts'
import { parseToolArguments, resultText } from './result_text.ts'

export class ChatSession implements ModelSession {
  readonly model: string
  readonly #client: OpenAI
  readonly #task: EngineTask
  #tools: OpenAI.ChatCompletionFunctionTool[]
  /** Ways to ask for the answer that the server has not refused; null: by its tools. */
  #formats: ReturnType<typeof answerFormats> | null = null
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
    const isFirst = this.#messages.length === 2
    if (asked.ok || !isFirst || !canDropTools(asked.error, this.#task)) return asked
    this.#tools = []
    this.#messages = firstMessages(withoutTools(this.#task))
    this.#formats = answerFormats(this.#task)
    return this.#askForText(this.#formats, signal)
  }

  async #askForText(formats: ReturnType<typeof answerFormats>, signal: AbortSignal): Promise<ModelAnswer> {
    for (;;) {
      const asked = await this.#askOnce(null, signal, formats[0])
      if (asked.ok || asked.error.kind !== 'bad_request' || formats.length < 2) return asked
      formats.shift()
    }
  }

  async #askOnce(forced: string | null, signal: AbortSignal, format = {}): Promise<ModelAnswer> {
    const params = {
      model: this.model,
      ...this.#temperature,
      ...(this.#effort === null ? {} : { reasoning_effort: this.#effort }),
      messages: this.#messages,
      ...(this.#tools.length > 0 ? { tools: this.#tools } : {}),
      ...(forced === null ? {} : { tool_choice: { type: 'function' as const, function: { name: forced } } }),
      ...format,
      stream: true as const,
      stream_options: { include_usage: true },
    }
    try {
      const completion = await this.#client.chat.completions.stream(params, { signal }).finalChatCompletion()
      this.#messages.push(...completion.choices.slice(0, 1).map(toKeptMessage))
      return { ok: true, response: toChatResponse(completion) }
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
  return [
    { role: 'system', content: fillSystemPrompt(task) },
    { role: 'user', content: firstText(task) },
  ]
}

/** Many servers of this API serve models without vision and refuse images. */
function firstText({ prompt, images = [] }: EngineTask): string {
  const note = `(The ${images.length} images of this message cannot be shown over this API.)`
  return images.length === 0 ? prompt : `${note}\n\n${prompt}`
}

type Choice = OpenAI.ChatCompletion.Choice

/** The answer as it is sent back to the model: without fields that some servers add and others refuse. */
function toKeptMessage({ message }: Choice): OpenAI.ChatCompletionAssistantMessageParam {
  const calls = functionCalls(message).map(({ id, function: { name, arguments: text } }) => {
    return { id, type: 'function' as const, function: { name, arguments: text } }
  })
  const content = message.content ?? message.refusal ?? null
  return { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }
}

function functionCalls({ tool_calls: calls }: Choice['message']): OpenAI.ChatCompletionMessageFunctionToolCall[] {
  return (calls ?? []).filter((call) => call.type === 'function')
}

const reportedCost = z.looseObject({ cost: z.number().nonnegative() })

function toChatResponse({ choices: [choice], usage, model }: OpenAI.ChatCompletion): ModelResponse {
  const reason = choice?.finish_reason ?? 'stop'
  const calls = choice === undefined ? [] : functionCalls(choice.message)
  const stopReason = choice?.message.refusal ? 'refusal' : toStopReason(reason)
  const text = choice?.message.content ?? choice?.message.refusal ?? ''
  const blocks: ModelBlock[] = calls.map(({ id, function: { name, arguments: given } }) => {
    return { type: 'call', id, name, input: parseToolArguments(given) }
  })
  return {
    blocks: [{ type: 'text', text }, ...blocks],
    usage: toChatUsage(usage),
    ...readReportedCost(usage),
    model: model || null,
    stopReason,
    lastIsCut: stopReason === 'max_tokens' && calls.length > 0,
  }
}

/** OpenRouter reports what a response costs, in dollars. */
function readReportedCost(usage: object | null | undefined): { usd?: number } {
  const parsed = reportedCost.safeParse(usage)
  return parsed.success ? { usd: parsed.data.cost } : {}
}

/** OpenAI's input tokens include those read from and written to the cache; Whetstone's don't. A count that the server leaves out is 0. */
function toChatUsage(given: OpenAI.CompletionUsage | null | undefined): Usage {
  const { cached_tokens: read = 0, cache_write_tokens: written = 0 } = given?.prompt_tokens_details ?? {}
  const reasoning = given?.completion_tokens_details?.reasoning_tokens ?? 0
  return {
    input_tokens: Math.max(0, (given?.prompt_tokens ?? 0) - read - written),
    output_tokens: given?.completion_tokens ?? 0,
    cache_read_tokens: read,
    cache_write_tokens: written,
    ...(reasoning > 0 ? { reasoning_tokens: reasoning } : {}),
  }
}
