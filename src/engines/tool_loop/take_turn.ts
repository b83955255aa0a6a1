/** One turn of the tool loop: asks the model and performs its calls until it ends the turn. */
import { isTooDeep } from '../../base/json/json_text.ts'
import { withRetry } from '../../base/time/retry.ts'
import { findJsonAnswer } from '../answers/json_answer.ts'
import { tooDeepError } from '../cli/json_line.ts'
import type { EngineError, EngineTask } from '../engine.ts'
import { contextFull, saysContextFull } from '../limits/error_text.ts'
import type { RateLimiter } from '../limits/rate_limiter.ts'
import { joinTexts, type LoopProgress, takeResponse } from './loop_progress.ts'
import type { ModelAnswer, ModelResponse, ModelSession } from './session.ts'
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
