/** One turn of the tool loop: asks the model and performs its calls until it ends the turn. Keeps the responses, token counts and last text. */
import type { Cost, Usage } from '../../../schemas/usage.ts'
import { isTooDeep } from '../../base/json/json_text.ts'
import { withRetry } from '../../base/time/retry.ts'
import { findJsonAnswer } from '../answers/json_answer.ts'
import { toJsonValue, tooDeepError } from '../cli/json_line.ts'
import type { EngineContext, EngineError, EngineTask, ProviderError } from '../engine.ts'
import { contextFull, saysContextFull } from '../limits/error_text.ts'
import type { RateLimiter } from '../limits/rate_limiter.ts'
import { addUsage, knownUsage, noUsage } from '../models/cost.ts'
import type { ModelAnswer, ModelBlock, ModelCall, ModelResponse, ModelSession } from './session.ts'
import { performCalls, submitTool, type ToolContext } from './tool_calls.ts'

/** How often one request is sent again at most, once the agent is at work. */
const retriesAtWork = 3

const nudge = `You ended without an answer. Give it now: call ${submitTool}.`

/** One conversation of a run: the agent's own, or that of a sub-agent, which shares `work`, `gate` and `maxTurns` with it. */
export interface Loop {
  session: ModelSession
  work: LoopProgress
  workshop: ToolContext
  gate: RateLimiter
  maxTurns: number | null
  /** A sub-agent's end is not the run's, so Stop hooks are not asked. */
  isSubAgent: boolean
}

/** Resolves with why the turn ended, or with the error that ends the run. Rejects only when aborted. */
export async function takeTurn(loop: Loop): Promise<{ stopReason: string } | EngineError> {
  const { session, work, workshop, gate, maxTurns } = loop
  const isLast = () => maxTurns !== null && work.step >= maxTurns
  let nudged = false
  for (;;) {
    const asked = await ask(loop, nudged)
    if (!asked.ok) return isFull(asked.error, work) ? { stopReason: contextFull } : asked.error
    work.refusals = gate.refusals
    const { stopReason, lastIsCut } = asked.response
    const calls = takeResponse(work, asked.response, workshop.emit)
    if (calls.some(({ input }) => isTooDeep(input))) return tooDeepError
    if (calls.length > 0) {
      if (lastIsCut && calls.at(-1)?.name === submitTool && workshop.answerSchema !== null)
        return { stopReason: 'max_tokens' }
      const done = await performCalls({ calls, lastIsCut, step: work.step }, workshop)
      if ('submitted' in done) {
        work.answer = { value: done.submitted }
        return { stopReason: 'submitted' }
      }
      const failure = done.results.find(({ answer }) => answer.failure !== undefined)?.answer.failure
      if (failure !== undefined) return failure
      session.addResults(done.results)
      if (workshop.hooks?.stopped) return { stopReason: 'hook' }
    }
    if (nudged || endsInAnswer(asked.response, workshop.answerSchema)) return { stopReason }
    const goesOn = calls.length > 0 || stopReason === 'pause_turn'
    if (goesOn && !isLast()) continue
    if (!goesOn && !isLast() && (await goesOnByHook(loop))) continue
    if (workshop.answerSchema === null || stopReason === 'refusal')
      return { stopReason: goesOn ? 'max_turns' : stopReason }
    nudged = true
    session.addUser(nudge)
    workshop.emit({ type: 'user', step: work.step, text: nudge })
  }
}

/** Whether its text is a structured answer, though it did not call `submit`, or was cut, so that asking for the call is in vain. */
function endsInAnswer({ blocks, stopReason }: ModelResponse, schema: EngineTask['answerSchema']): boolean {
  if (schema === null || blocks.some(({ type }) => type === 'call')) return false
  return stopReason === 'max_tokens' || 'value' in findJsonAnswer(joinTexts(blocks), schema)
}

/** Whether the agent has filled its context. A first request that does not fit is the suite's fault. */
function isFull({ kind, message }: EngineError, { answered }: LoopProgress): boolean {
  return answered && kind === 'bad_request' && saysContextFull(message)
}

async function goesOnByHook({ session, work, workshop: { hooks, emit }, isSubAgent }: Loop): Promise<boolean> {
  if (isSubAgent) return false
  const text = (await hooks?.atEnd(work.text, work.step)) ?? null
  if (text === null) return false
  session.addUser(text)
  emit({ type: 'user', step: work.step, text })
  return true
}

/** After the nudge the call is forced; if the server refuses to force it, the model is asked without force. */
async function ask(loop: Loop, forced: boolean): Promise<ModelAnswer> {
  if (!forced) return await askWithRetry(loop, null)
  const asked = await askWithRetry(loop, submitTool)
  return asked.ok || asked.error.kind !== 'bad_request' ? asked : await askWithRetry(loop, null)
}

/** If the server asks for a longer wait before another try, the caller gets the failure. */
const longestWaitMs = 60_000

/** Repeats the request after a failure that may pass. Rejects with the abort reason when aborted, and never otherwise. */
async function askWithRetry({ session, work, workshop, gate }: Loop, forced: string | null): Promise<ModelAnswer> {
  const { signal } = workshop.place
  const attempt = async () => {
    const asked = await session.ask(forced, signal)
    if (asked.ok || !asked.error.retryable) return { asked, retry: null }
    const { kind, retryAfterMs: afterMs } = asked.error
    // reported inside a stream that began well; a plain 429 waits in the rate limiter
    return { asked, retry: { afterMs, isEndless: kind === 'rate_limited' && gate.governs } }
  }
  const { asked } = await withRetry(attempt, {
    retries: work.step === 0 ? 0 : retriesAtWork,
    signal,
    longestWaitMs,
    capMs: longestWaitMs / 2,
    pause: (ms, namedMs) => gate.pause(ms, signal, namedMs),
    onRetry: (_number, _ms, last) => {
      work.failure = last.asked.ok ? null : last.asked.error
    },
  })
  return asked
}

export interface LoopProgress {
  /** Model responses so far. */
  step: number
  /** null: a response did not report its usage. */
  usage: Usage | null
  /** Tokens of the longest prompt, as the server counts them. */
  longestPrompt: number
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
    longestPrompt: 0,
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
  work.longestPrompt = Math.max(work.longestPrompt, response.usage.input_tokens + response.usage.cache_read_tokens)
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

function joinTexts(blocks: readonly ModelBlock[]): string {
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
