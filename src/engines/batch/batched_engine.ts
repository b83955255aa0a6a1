/** An engine whose single-request tasks are answered in a batch, and the table of those that can; other tasks run as usual. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { completeRun, failRun } from '../answers/run_outcome.ts'
import { splitCloud } from '../clouds/table.ts'
import { type Engine, type EngineContext, type EngineOutcome, type EngineTask, emptyReport } from '../engine.ts'
import { openRateLimiter } from '../limits/rate_limiter.ts'
import { estimateCost } from '../models/cost.ts'
import { startLoopProgress, takeResponse } from '../tool_loop/loop_progress.ts'
import type { ModelResponse } from '../tool_loop/session.ts'
import { submitTool } from '../tool_loop/tool_calls.ts'
import { type BatchApi, type BatchItem, type BatchResult, batchPrice } from './batch_api.ts'

/** Puts a request into a batch and waits for its result. Rejects only when aborted. */
export type AskInBatch = (body: BatchItem['body'], signal: AbortSignal) => Promise<BatchResult>

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
  const submitted = response.lastIsCut ? undefined : calls.find(({ name }) => name === submitTool)
  const cost = work.usage && (await estimateCost(work.usage, work.model, api.provider))
  const report = {
    ...emptyReport,
    finalResponse: work.text,
    answer: submitted?.input,
    version: api.version,
    model: work.model,
    provider: api.provider,
    usage: work.usage,
    cost: cost && { ...cost, usd: cost.usd * batchPrice },
    answered: true,
    isBatched: true,
    stopReason: submitted === undefined ? response.stopReason : 'submitted',
    ...(work.outputLimit !== null && { outputLimit: work.outputLimit }),
  }
  return completeRun(context, report, work.step)
}

// an SDK is loaded only when needed
const apis: Readonly<Record<string, () => Promise<BatchApi>>> = {
  anthropic: async () => (await import('../anthropic/batch.ts')).anthropicBatches,
  openai: async () => (await import('../openai/batch.ts')).openaiBatches,
}

/** Only the provider's own API has batches, not the clouds that offer its models. */
export function hasBatchApi({ name, model }: Pick<EngineChoice, 'name' | 'model'>): boolean {
  return Object.hasOwn(apis, name) && splitCloud(model).cloud === null
}

/** null: the engine has none. */
export async function loadBatchApi(choice: Pick<EngineChoice, 'name' | 'model'>): Promise<BatchApi | null> {
  return hasBatchApi(choice) ? ((await apis[choice.name]?.()) ?? null) : null
}
