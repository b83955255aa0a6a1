/** A conversation over the Responses API, or over Chat Completions if a compatible server has only that. */
import { findCloud, splitCloud } from '../clouds/table.ts'
import type { EngineTask } from '../engine.ts'
import type { CallResult, ModelAnswer, ModelSession, ToolOffer } from '../tool_loop/session.ts'
import { isOwnServer, openaiBaseUrl } from './address.ts'
import { canDropTools } from './chat_formats.ts'
import { ChatSession } from './chat_session.ts'
import { ResponsesSession } from './responses_session.ts'

/** The API of each server, as found by this process: all runs of a benchmark use the same API of a server. */
const apis = new Map<string, 'responses' | 'chat'>()

export class OpenaiSession implements ModelSession {
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
    const isChat = cloud === 'openrouter' || apis.get(this.#url) === 'chat'
    this.#session = isChat ? new ChatSession(task, offers, send) : new ResponsesSession(task, offers, send)
  }

  get model(): string {
    return this.#session.model
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
