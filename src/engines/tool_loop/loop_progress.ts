/** The progress of a run of the tool loop: responses, token counts, the last text. */
import type { Cost, Usage } from '../../../schemas/usage.ts'
import { toJsonValue } from '../cli/json_line.ts'
import type { EngineContext, ProviderError } from '../engine.ts'
import type { RateLimiter } from '../limits/rate_limiter.ts'
import { addUsage, knownUsage, noUsage } from '../models/cost.ts'
import type { ModelBlock, ModelCall, ModelResponse } from './session.ts'

export interface LoopProgress {
  /** Model responses so far. */
  step: number
  /** null: a response did not report its usage. */
  usage: Usage | null
  /** The sum of the responses' costs as the server reports them; null: one did not report its cost, or there is none yet. */
  cost: Cost | null
  /** The last text that the model wrote. */
  text: string
  model: string
  answer: { value: unknown } | null
  /** Whether a complete response has come. */
  answered: boolean
  /** The error after which the current request was sent again; null: none. */
  failure: ProviderError | null
  /** Output tokens of the last response if it was cut at its limit; null: it was not, or they are unknown. */
  outputLimit: number | null
  /** Number of refusals (429) that the rate limiter had met when the last response came. */
  refusals: number
}

export function startLoopProgress(model: string, { refusals }: Pick<RateLimiter, 'refusals'>): LoopProgress {
  return {
    step: 0,
    usage: noUsage,
    cost: null,
    text: '',
    model,
    answer: null,
    answered: false,
    failure: null,
    outputLimit: null,
    refusals,
  }
}

const refusedError: ProviderError = { kind: 'rate_limited', message: 'the server refused the request (429)' }

/** The error after which the current request is being sent again: by the loop, or by the rate limiter after a 429; null: none. */
export function retriedError(
  { failure, refusals }: LoopProgress,
  gate: Pick<RateLimiter, 'refusals'>,
): ProviderError | null {
  return failure ?? (gate.refusals > refusals ? refusedError : null)
}

/** Counts a response, emits events for its blocks and returns its tool calls. */
export function takeResponse(work: LoopProgress, response: ModelResponse, emit: EngineContext['emit']): ModelCall[] {
  work.cost = addReportedCost(work, response)
  work.step += 1
  work.answered = true
  work.failure = null
  const usage = knownUsage(response.usage)
  work.usage = work.usage === null || usage === null ? null : addUsage(work.usage, usage)
  work.model = response.model || work.model
  for (const block of response.blocks) emitBlock(block, work.step, emit)
  work.outputLimit = response.stopReason === 'max_tokens' ? response.usage.output_tokens || null : null
  const text = joinTexts(response.blocks)
  if (text.trim() !== '') work.text = text
  return response.blocks.filter((block) => block.type === 'call')
}

function addReportedCost({ step, cost }: LoopProgress, { usd }: ModelResponse): Cost | null {
  if (usd === undefined || (step > 0 && cost === null)) return null
  return { usd: (cost?.usd ?? 0) + usd, source: 'agent' }
}

export function joinTexts(blocks: readonly ModelBlock[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

function emitBlock(block: ModelBlock, step: number, emit: EngineContext['emit']): void {
  switch (block.type) {
    case 'text':
      if (block.text !== '') emit({ type: 'assistant', step, text: block.text })
      break
    case 'thinking':
      if (block.text !== '') emit({ type: 'thinking', step, text: block.text })
      break
    case 'call':
      emit({ type: 'tool_call', step, id: block.id, name: block.name, input: toJsonValue(block.input) })
      break
  }
}
