/** A provider's batch API, whose requests are answered within a day at half the price, and an engine that answers through it. */
import { completeRun, failRun } from '../../engines/answers/run_outcome.ts'
import {
  type Engine,
  type EngineContext,
  type EngineError,
  type EngineOutcome,
  type EngineTask,
  emptyReport,
} from '../../engines/engine.ts'
import { isRetryableKind } from '../../engines/limits/error_text.ts'
import { openRateLimiter } from '../../engines/limits/rate_limiter.ts'
import { estimateCost } from '../../engines/models/cost.ts'
import { type SdkErrors, toEngineError } from '../../engines/tool_loop/sdk_error.ts'
import type { ModelResponse } from '../../engines/tool_loop/session.ts'
import { startLoopProgress, takeResponse } from '../../engines/tool_loop/take_turn.ts'
import { readSubmitted } from '../../engines/tool_loop/tool_calls.ts'
import { batchPrice } from '../../flows/history/forecast.ts'

export interface BatchItem {
  /** Unique in its batch; at most 64 letters, digits, - and _. */
  id: string
  /** The body of the one request, in the API's own form. */
  body: Readonly<Record<string, unknown>>
}

export type BatchResult = { status: 'answered'; response: ModelResponse } | { status: 'failed'; error: EngineError }

export function failItem(kind: EngineError['kind'], message: string): BatchResult {
  return { status: 'failed', error: { kind, message, retryable: isRetryableKind(kind), retryAfterMs: null } }
}

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

/** Puts a request into a batch and waits for its result. Rejects only when aborted. */
export type AskInBatch = (body: BatchItem['body'], signal: AbortSignal) => Promise<BatchResult>

/** An engine whose single-request tasks are answered in a batch; other tasks run as usual. */
export function batchEngine(engine: Engine, api: BatchApi, ask: AskInBatch): Engine {
  return {
    ...engine,
    answersLater: true,
    async run(task, context) {
      if (!isOneRequest(task)) return engine.run(task, context)
      // a batch may take a day: while it waits, an earlier failure, such as an expired request, is not an outage any more
      context.gate?.progress()
      const result = await ask(api.body({ ...task, tools: 'none' }), context.signal)
      if (result.status === 'failed') return failRun(context, result.error, { report: emptyReport, step: 0 })
      return toOutcome(result.response, { api, task, context })
    },
  }
}

/** Whether the prompt has all that the answer needs. Images stay out of batches, whose size is limited. */
function isOneRequest({ answerSchema, tools, toolsOptional, images = [] }: EngineTask): boolean {
  return answerSchema !== null && images.length === 0 && (tools === 'none' || toolsOptional === true)
}

interface BatchedRun {
  api: BatchApi
  task: EngineTask
  context: EngineContext
}

async function toOutcome(response: ModelResponse, { api, task, context }: BatchedRun): Promise<EngineOutcome> {
  const work = startLoopProgress(api.modelOf(task), openRateLimiter(null))
  const calls = takeResponse(work, response, context.emit)
  const answer = response.lastIsCut ? undefined : readSubmitted(calls)
  const cost = work.usage && (await estimateCost(work.usage, work.model, api.provider))
  const report = {
    ...emptyReport,
    finalResponse: work.text,
    answer,
    version: api.version,
    model: work.model,
    provider: api.provider,
    usage: work.usage,
    cost: cost && { ...cost, usd: cost.usd * batchPrice },
    answered: true,
    isBatched: true,
    stopReason: answer === undefined ? response.stopReason : 'submitted',
    ...(work.outputLimit !== null && { outputLimit: work.outputLimit }),
  }
  return completeRun(context, report, work.step)
}
