/** One turn of the tool loop: asks the model and performs its calls until it ends the turn. */
import { isTooDeep } from '../../base/json/nesting_depth.ts'
import { backoffDelay } from '../../base/time/backoff.ts'
import { findJsonAnswer } from '../answers/json_answer.ts'
import { tooDeepError } from '../cli/json_line.ts'
import type { EngineError, EngineTask, ProviderError } from '../engine.ts'
import { contextFull, saysContextFull } from '../limits/context_full.ts'
import type { RateLimiter } from '../limits/rate_limiter.ts'
import { joinTexts, type LoopProgress, takeResponse } from './loop_progress.ts'
import type { ModelAnswer, ModelResponse, ModelSession } from './session.ts'
import { performCalls, submitTool, type ToolContext } from './tool_calls.ts'

/** How often one request is sent at most, once the agent is at work. */
const triesAtWork = 4

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

/** Whether a Stop hook made the agent go on. */
async function goesOnByHook({ session, work, workshop: { hooks, emit }, isSubAgent }: Loop): Promise<boolean> {
  if (isSubAgent) return false
  const text = (await hooks?.atEnd(work.text, work.step)) ?? null
  if (text === null) return false
  session.addUser(text)
  emit({ type: 'user', step: work.step, text })
  return true
}

/** After the nudge the call is forced; if the server refuses to force it, the model is asked without force. */
async function ask({ session, work, workshop, gate }: Loop, forced: boolean): Promise<ModelAnswer> {
  const { signal } = workshop.place
  const onRetry = (error: ProviderError) => {
    work.failure = error
  }
  const patience = { tries: work.step === 0 ? 1 : triesAtWork, signal, gate, onRetry }
  const unforced = () => askWithRetry(() => session.ask(null, signal), patience)
  if (!forced) return unforced()
  const asked = await askWithRetry(() => session.ask(submitTool, signal), patience)
  return asked.ok || asked.error.kind !== 'bad_request' ? asked : unforced()
}

interface RetryPolicy {
  /** How often one request is sent at most. */
  tries: number
  signal: AbortSignal
  gate: RateLimiter
  /** Called with the error before the request is sent again. */
  onRetry?: (error: ProviderError) => void
  random?: () => number
}

/** The longest wait before another try; if the server asks for a longer one, the caller gets the failure. */
const longestWaitMs = 60_000
const backoff = { baseMs: 1000, capMs: longestWaitMs / 2 }

/** Repeats the request after a failure that may pass. Rejects with the abort reason when aborted, and never otherwise. */
async function askWithRetry(ask: () => Promise<ModelAnswer>, patience: RetryPolicy): Promise<ModelAnswer> {
  for (let number = 1; ; number += 1) {
    const asked = await ask()
    if (asked.ok || !asked.error.retryable) return asked
    // reported inside a stream that began well; a plain 429 waits in the rate limiter
    const isLimit = asked.error.kind === 'rate_limited' && patience.gate.governs
    if (number >= patience.tries && !isLimit) return asked
    const wait = backoffDelay(number, asked.error.retryAfterMs, { ...backoff, random: patience.random })
    if (wait > longestWaitMs && !isLimit) return asked
    patience.onRetry?.(asked.error)
    await patience.gate.pause(wait, patience.signal, asked.error.retryAfterMs)
  }
}
