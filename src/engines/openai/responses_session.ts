/** A conversation over the Responses API. Nothing is stored at the server: every request holds all of it. */
import OpenAI from 'openai'
import type { EngineError, EngineTask } from '../engine.ts'
import { mayPass } from '../http_status.ts'
import { openaiModel } from '../providers.ts'
import { engineErrorOf, kindOfWord, unreadable } from '../sdk_error.ts'
import type { Asked, CallResult, Session, ToolOffer } from '../tool_loop/session.ts'
import { systemPrompt } from '../tool_loop/system_prompt.ts'
import { temperatureOf } from '../tool_loop/temperature.ts'
import { openClient } from './client.ts'
import { responseOf } from './responses_answer.ts'
import { resultText } from './result_text.ts'

type Item = OpenAI.Responses.ResponseInputItem

export class ResponsesSession implements Session {
  readonly model: string
  /** Whether the last failure says that the server has no such API. */
  isAbsent = false
  readonly #client: OpenAI
  readonly #request: OpenAI.Responses.ResponseCreateParamsStreaming
  readonly #input: Item[]
  /** Reasoning goes back to the model encrypted; models without reasoning refuse to be asked for it. */
  #keepsReasoning = true

  constructor(task: EngineTask, offers: readonly ToolOffer[], send: typeof fetch) {
    this.model = openaiModel(task.model)
    this.#client = openClient(task.credentials, send)
    this.#request = {
      model: this.model,
      instructions: systemPrompt(task),
      tools: offers.map(functionTool),
      store: false,
      stream: true,
      prompt_cache_key: task.sessionId,
      ...temperatureOf(task),
    }
    this.#input = [{ role: 'user', content: task.prompt }]
  }

  async ask(forced: string | null, signal: AbortSignal): Promise<Asked> {
    const asked = await this.#askOnce(forced, signal)
    const isRefused = !asked.ok && asked.error.kind === 'bad_request' && /encrypted/i.test(asked.error.message)
    if (!isRefused || !this.#keepsReasoning) return asked
    this.#keepsReasoning = false
    return this.#askOnce(forced, signal)
  }

  addResults(results: readonly CallResult[]): void {
    this.#input.push(...results.map(outputItem))
  }

  addUser(text: string): void {
    this.#input.push({ role: 'user', content: text })
  }

  async #askOnce(forced: string | null, signal: AbortSignal): Promise<Asked> {
    const params: OpenAI.Responses.ResponseCreateParamsStreaming = {
      ...this.#request,
      input: this.#input,
      ...(this.#keepsReasoning ? { include: ['reasoning.encrypted_content'] } : {}),
      ...(forced === null ? {} : { tool_choice: { type: 'function', name: forced } }),
    }
    try {
      const ended = await lastOf(await this.#client.responses.create(params, { signal }))
      signal.throwIfAborted() // an aborted stream ends like a whole one
      if ('error' in ended) return { ok: false, error: ended.error }
      this.#input.push(...ended.response.output.flatMap((item) => this.#kept(item)))
      return { ok: true, response: responseOf(ended.response) }
    } catch (error) {
      signal.throwIfAborted()
      this.isAbsent = isAbsent(error, this.model)
      return { ok: false, error: engineErrorOf(error, this.#client.baseURL, OpenAI) }
    }
  }

  /** What of a response goes back to the model. */
  #kept(item: OpenAI.Responses.ResponseOutputItem): Item[] {
    if (item.type === 'reasoning') return this.#keepsReasoning && item.encrypted_content ? [item] : []
    if (item.type !== 'message' && item.type !== 'function_call') return []
    return [item]
  }
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
  const picture = { type: 'input_image' as const, image_url: `data:${image.mediaType};base64,${image.data}` }
  return { ...output, output: [{ type: 'input_text' as const, text }, picture] }
}

type Ended = { response: OpenAI.Responses.Response } | { error: EngineError }

/** The response at the end of its stream, or what became of it. */
async function lastOf(stream: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>): Promise<Ended> {
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
  return { error: unreadable('the stream ended before the response did') }
}

function failure(code: string | null | undefined, message: string | undefined): EngineError {
  const kind = kindOfWord(code) ?? 'server_error'
  return { kind, message: message ?? 'the response failed', retryable: mayPass(kind), retryAfterMs: null }
}

/** Whether there is no such path, as opposed to no such model. */
function isAbsent(error: unknown, model: string): boolean {
  if (!(error instanceof OpenAI.APIError)) return false
  const isMissing = error.status === 404 || error.status === 405 || error.status === 501
  return isMissing && error.code !== 'model_not_found' && !error.message.includes(model)
}
