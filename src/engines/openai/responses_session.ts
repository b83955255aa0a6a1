/** A conversation over the Responses API. The server stores nothing: every request contains the whole conversation. */
import OpenAI from 'openai'
import type { TaskImage } from '../../base/fs/image_type.ts'
import { readCounts } from '../answers/response_usage.ts'
import { splitCloud } from '../clouds/table.ts'
import type { EngineError, EngineTask } from '../engine.ts'
import { isRetryableKind } from '../limits/error_text.ts'
import { openaiEffort } from '../models/effort_levels.ts'
import { openaiModel } from '../models/providers.ts'
import { kindOfWord, toEngineError, unreadableResponse } from '../tool_loop/sdk_error.ts'
import { temperatureSetting } from '../tool_loop/sdk_settings.ts'
import {
  type CallResult,
  fillSystemPrompt,
  type ModelAnswer,
  type ModelBlock,
  type ModelResponse,
  type ModelSession,
  type ToolOffer,
} from '../tool_loop/session.ts'
import { parseToolArguments, resultText } from './chat_answer.ts'
import { openOpenaiClient } from './client.ts'

type Item = OpenAI.Responses.ResponseInputItem

export class ResponsesSession implements ModelSession {
  readonly model: string
  /** Whether the last failure shows that the server has no Responses API. */
  isAbsent = false
  readonly #client: OpenAI
  readonly #request: OpenAI.Responses.ResponseCreateParamsStreaming
  readonly #input: Item[]
  /** Reasoning is sent back to the model encrypted; models without reasoning refuse requests for it. */
  #keepsReasoning = true

  constructor(task: EngineTask, offers: readonly ToolOffer[], send: typeof fetch) {
    this.model = sentModel(task)
    this.#client = openOpenaiClient(task, send)
    this.#request = { ...commonParams(task, offers), stream: true, prompt_cache_key: task.sessionId }
    this.#input = firstInput(task)
  }

  async ask(forced: string | null, signal: AbortSignal): Promise<ModelAnswer> {
    const asked = await this.#askOnce(forced, signal)
    const isRefused = !asked.ok && asked.error.kind === 'bad_request' && /encrypted/i.test(asked.error.message)
    if (!isRefused || !this.#keepsReasoning) return asked
    this.#keepsReasoning = false
    return this.#askOnce(forced, signal)
  }

  /** Whether the conversation has only the task's first message. */
  get isFirst(): boolean {
    return this.#input.length === 1
  }

  addResults(results: readonly CallResult[]): void {
    this.#input.push(...results.map(outputItem))
  }

  addUser(text: string): void {
    this.#input.push({ role: 'user', content: text })
  }

  async #askOnce(forced: string | null, signal: AbortSignal): Promise<ModelAnswer> {
    const params: OpenAI.Responses.ResponseCreateParamsStreaming = {
      ...this.#request,
      input: this.#input,
      ...(this.#keepsReasoning ? { include: ['reasoning.encrypted_content'] } : {}),
      ...(forced === null ? {} : { tool_choice: { type: 'function', name: forced } }),
    }
    try {
      const { data: stream, response } = await this.#client.responses.create(params, { signal }).withResponse()
      // LM Studio answers a request to an unknown path with status 200 and an error
      this.isAbsent = /\bjson\b/.test(response.headers.get('content-type') ?? '')
      const ended = await readLastResponse(stream)
      signal.throwIfAborted() // an aborted stream ends like a complete one
      if ('error' in ended) return { ok: false, error: ended.error }
      this.#input.push(...ended.response.output.flatMap((item) => this.#kept(item)))
      return { ok: true, response: toModelResponse(ended.response) }
    } catch (error) {
      signal.throwIfAborted()
      this.isAbsent = isAbsent(error, this.model)
      return { ok: false, error: toEngineError(error, this.#client.baseURL, OpenAI) }
    }
  }

  /** The parts of a response that are sent back to the model. */
  #kept(item: OpenAI.Responses.ResponseOutputItem): Item[] {
    if (item.type === 'reasoning') return this.#keepsReasoning && item.encrypted_content ? [item] : []
    if (item.type !== 'message' && item.type !== 'function_call') return []
    return [item]
  }
}

/** The model's id, without the cloud that it runs on. */
function sentModel({ model }: EngineTask): string {
  return splitCloud(openaiModel(model)).model ?? ''
}

function commonParams(task: EngineTask, offers: readonly ToolOffer[]) {
  const effort = openaiEffort(task.effort)
  return {
    model: sentModel(task),
    instructions: fillSystemPrompt(task) || null,
    tools: offers.map(functionTool),
    store: false,
    ...temperatureSetting(task),
    ...(effort === null ? {} : { reasoning: { effort } }),
  }
}

function firstInput(task: EngineTask): Item[] {
  return [{ role: 'user', content: firstContent(task) }]
}

/** The only request of a task that must call this tool. */
export function buildOnlyResponse(
  task: EngineTask,
  offers: readonly ToolOffer[],
  forced: string,
): OpenAI.Responses.ResponseCreateParamsNonStreaming {
  return { ...commonParams(task, offers), input: firstInput(task), tool_choice: { type: 'function', name: forced } }
}

function functionTool({ name, description, inputSchema }: ToolOffer): OpenAI.Responses.FunctionTool {
  return { type: 'function', name, description, parameters: inputSchema, strict: false }
}

function outputItem({ call, answer }: CallResult): Item {
  const text = resultText(answer)
  const { image } = answer
  const output: Item & { type: 'function_call_output' } = {
    type: 'function_call_output',
    call_id: call.id,
    output: text,
  }
  if (image === undefined) return output
  return { ...output, output: [{ type: 'input_text' as const, text }, imagePart(image)] }
}

function firstContent({ prompt, images = [] }: EngineTask): string | OpenAI.Responses.ResponseInputMessageContentList {
  return images.length === 0 ? prompt : [...images.map(imagePart), { type: 'input_text', text: prompt }]
}

function imagePart({ mediaType, data }: TaskImage): OpenAI.Responses.ResponseInputImage {
  return { type: 'input_image', detail: 'auto', image_url: `data:${mediaType};base64,${data}` }
}

type StreamEnd = { response: OpenAI.Responses.Response } | { error: EngineError }

/** The response at the end of its stream, or the error that ended it. */
async function readLastResponse(stream: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>): Promise<StreamEnd> {
  for await (const event of stream) {
    switch (event.type) {
      case 'response.completed':
      case 'response.incomplete':
        return { response: event.response }
      case 'response.failed':
        return { error: failure(event.response.error?.code, event.response.error?.message) }
      case 'error':
        return { error: failure(event.code, event.message) }
      default:
        break
    }
  }
  return { error: unreadableResponse('the stream ended before the response did') }
}

function failure(code: string | null | undefined, message: string | undefined): EngineError {
  const kind = kindOfWord(code) ?? 'server_error'
  return { kind, message: message ?? 'the response failed', retryable: isRetryableKind(kind), retryAfterMs: null }
}

/** Whether the API does not exist, as opposed to the model. */
function isAbsent(error: unknown, model: string): boolean {
  if (!(error instanceof OpenAI.APIError)) return false
  const isMissing = error.status === 404 || error.status === 405 || error.status === 501
  return isMissing && error.code !== 'model_not_found' && !error.message.includes(model)
}

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
