/** The interface of a provider's batch API (requests that are answered within a day, at half the price), and one call to it. */
import type { EngineError, EngineTask } from '../engine.ts'
import { type SdkErrors, toEngineError } from '../tool_loop/sdk_error.ts'
import type { ModelResponse } from '../tool_loop/session.ts'

/** The part of the usual price that a batch costs, at Anthropic and OpenAI. */
export const batchPrice = 0.5

export interface BatchItem {
  /** Unique in its batch; at most 64 letters, digits, - and _. */
  id: string
  /** The body of the one request, in the API's own form. */
  body: Readonly<Record<string, unknown>>
}

export type BatchResult = { status: 'answered'; response: ModelResponse } | { status: 'failed'; error: EngineError }

/** `hasEnded`: its results can be read. `done`: items that have ended, in whatever way. */
interface BatchStatus {
  hasEnded: boolean
  done: number
}

/** What is known of a batch when the server no longer has it. */
export type BatchReply<T> = { ok: true; value: T } | { ok: false; error: EngineError; isGone: boolean }

export interface BatchApi {
  provider: string
  version: string
  modelOf(task: EngineTask): string
  /** The body for a task without tools, which asks for the structured answer. The same task has the same body. */
  body(task: EngineTask): BatchItem['body']
  open(credentials: EngineTask['credentials'], send: typeof fetch): BatchClient
}

/** Each call rejects only when aborted. */
export interface BatchClient {
  /** The batch's id. */
  create(items: readonly BatchItem[], signal: AbortSignal): Promise<BatchReply<string>>
  status(id: string, signal: AbortSignal): Promise<BatchReply<BatchStatus>>
  /** By item id; an item that is missing has no result. */
  results(id: string, signal: AbortSignal): Promise<BatchReply<ReadonlyMap<string, BatchResult>>>
}

export interface BatchCall<T> {
  work: () => Promise<T>
  signal: AbortSignal
  /** The server's address, for messages. */
  url: string
  errors: SdkErrors
}

/** Rejects only when aborted. */
export async function attemptBatchCall<T>({ work, signal, url, errors }: BatchCall<T>): Promise<BatchReply<T>> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    signal.throwIfAborted()
    const isGone = error instanceof errors.APIError && error.status === 404
    return { ok: false, error: toEngineError(error, url, errors), isGone }
  }
}
