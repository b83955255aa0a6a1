/** A conversation over the Responses API, or over Chat Completions where a compatible server has nothing else. */
import type { EngineTask } from '../engine.ts'
import type { Asked, CallResult, Session, ToolOffer } from '../tool_loop/session.ts'
import { baseUrlOf, isOwnServer } from './address.ts'
import { ChatSession } from './chat_session.ts'
import { ResponsesSession } from './responses_session.ts'

/** What each server has, as seen by this process: all runs of a benchmark speak to a server in one way. */
const apis = new Map<string, 'responses' | 'chat'>()

export class OpenaiSession implements Session {
  readonly #task: EngineTask
  readonly #offers: readonly ToolOffer[]
  readonly #send: typeof fetch
  readonly #url: string
  #session: ResponsesSession | ChatSession

  constructor(task: EngineTask, offers: readonly ToolOffer[], send: typeof fetch) {
    this.#send = send
    this.#task = task
    this.#offers = offers
    this.#url = baseUrlOf(task.credentials)
    const isChat = apis.get(this.#url) === 'chat'
    this.#session = isChat ? new ChatSession(task, offers, send) : new ResponsesSession(task, offers, send)
  }

  get model(): string {
    return this.#session.model
  }

  async ask(forced: string | null, signal: AbortSignal): Promise<Asked> {
    const session = this.#session
    const asked = await session.ask(forced, signal)
    if (session instanceof ChatSession) return asked
    if (asked.ok) apis.set(this.#url, 'responses')
    const isAbsent = !asked.ok && session.isAbsent && !isOwnServer(this.#url) && apis.get(this.#url) !== 'responses'
    if (!isAbsent) return asked
    const chat = new ChatSession(this.#task, this.#offers, this.#send)
    this.#session = chat
    const again = await chat.ask(forced, signal)
    if (again.ok) apis.set(this.#url, 'chat')
    return again
  }

  addResults(results: readonly CallResult[]): void {
    this.#session.addResults(results)
  }

  addUser(text: string): void {
    this.#session.addUser(text)
  }
}
