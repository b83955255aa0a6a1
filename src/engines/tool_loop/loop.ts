/** The agent loop: asks the model and runs the tool calls that it asks for, until it has finished. */
import type { Cost, Usage } from '../../../schemas/usage.ts'
import { isTooDeep } from '../../base/json/nesting_depth.ts'
import { findJsonAnswer } from '../answers/json_answer.ts'
import { completeRun, failRun } from '../answers/run_outcome.ts'
import { followSkillReads } from '../answers/skill_read.ts'
import { endsTurn } from '../answers/stop_reason.ts'
import { tooDeepError } from '../cli/json_line.ts'
import { isCloudName } from '../clouds/table.ts'
import type { EngineContext, EngineError, EngineOutcome, EngineReport, EngineTask, ProviderError } from '../engine.ts'
import { emptyReport } from '../engine.ts'
import { HookRunner } from '../hooks/hooks.ts'
import { contextFull, saysContextFull } from '../limits/context_full.ts'
import { createLimitedFetch } from '../limits/rate_limited_fetch.ts'
import { openRateLimiter, type RateLimiter } from '../limits/rate_limiter.ts'
import { estimateCost } from '../models/cost.ts'
import { addUsage } from '../models/usage.ts'
import { joinTexts, type LoopProgress, retriedError, startLoopProgress, takeResponse } from './loop_progress.ts'
import { askWithRetry } from './model_retry.ts'
import { startServers } from './servers/server_tools.ts'
import type { ModelAnswer, ModelApi, ModelResponse, ModelSession } from './session.ts'
import { performCalls, submitTool, type ToolContext } from './tool_calls.ts'
import { openToolPlace } from './tool_workspace.ts'
import { describeTools, selectTools } from './tools/table.ts'

/** How often one request is sent at most, once the agent is at work. */
const triesAtWork = 4

const nudge = `You ended without an answer. Give it now: call ${submitTool}.`

export interface LoopRequest {
  task: EngineTask
  context: EngineContext
  api: ModelApi
  skillsFolder: string
}

/** Runs a task to its end, however it ends; rejects only when aborted or when this machine runs short of a resource. */
export async function runLoop({ task, context, api, skillsFolder }: LoopRequest): Promise<EngineOutcome> {
  const hooks = task.environment === undefined ? null : new HookRunner(task, context)
  const emit = hooks?.emit ?? context.emit
  const { signal } = context
  signal.throwIfAborted()
  const missing = api.missing(task.credentials)
  if (missing !== null) return failRun(context, missing, { report: emptyReport, step: 0 })
  const place = await openToolPlace(task, signal)
  await using servers = await startServers(task, place)
  if (servers.error !== null) return failRun(context, servers.error, { report: emptyReport, step: 0 })
  const tools = [...selectTools(task.tools, task.environment?.allowedTools), ...servers.tools]
  const gate = context.gate ?? openRateLimiter(null)
  const session = await api.open(task, describeTools(tools, task.answerSchema), createLimitedFetch(gate))
  if ('kind' in session) return failRun(context, session, { report: emptyReport, step: 0 })
  const work = startLoopProgress(session.model, gate)
  const loaded = {
    skills: task.skills.map(({ name }) => name),
    tools: tools.map(({ name }) => name),
    mcp_servers: servers.names,
  }
  emit({ type: 'system', step: 0, subtype: 'init', model: session.model, ...loaded })
  const known = { api, asked: session.model, loaded, sessionId: task.sessionId, gate }
  context.soFar?.(() => toLoopReport(withUnfinished(work, session), { ...known, denials: hooks?.denials ?? [] }))
  const workshop: ToolContext = {
    tools,
    place,
    skillReads: followSkillReads({ skills: task.skills, skillsFolder, emit }),
    answerSchema: task.answerSchema,
    hooks,
    emit,
  }
  const end = await converseInTurns({ session, work, workshop, gate, maxTurns: task.maxTurns }, task.nextMessage)
  const report = await toLoopReport(work, { ...known, denials: hooks?.denials ?? [] })
  if ('kind' in end) return failRun(context, end, { report, step: work.step })
  return completeRun(context, { ...report, stopReason: end.stopReason }, work.step)
}

/** Adds the response that was cut off, as far as its usage is known. */
function withUnfinished(work: LoopProgress, { unfinished = null }: ModelSession): LoopProgress {
  if (unfinished === null) return work
  const { usage, model } = unfinished
  const sum = work.usage && addUsage(work.usage, usage)
  return { ...work, step: work.step + 1, usage: sum, model: model || work.model }
}

interface Loop {
  session: ModelSession
  work: LoopProgress
  workshop: ToolContext
  gate: RateLimiter
  maxTurns: number | null
}

/** Goes on with the user's next message, as long as there is one and the agent ends its turns by itself. */
async function converseInTurns(loop: Loop, nextMessage: EngineTask['nextMessage']): ReturnType<typeof converse> {
  const { session, work, workshop, maxTurns } = loop
  for (;;) {
    const end = await converse(loop)
    if (nextMessage === undefined || 'kind' in end || !endsTurn(end.stopReason)) return end
    const message = await nextMessage({ text: work.text, step: work.step })
    workshop.place.signal.throwIfAborted()
    if (message === null) return end
    if (maxTurns !== null && work.step >= maxTurns) return { stopReason: 'max_turns' }
    work.text = ''
    session.addUser(message)
  }
}

async function converse(loop: Loop): Promise<{ stopReason: string } | EngineError> {
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
async function goesOnByHook({ session, work, workshop: { hooks, emit } }: Loop): Promise<boolean> {
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

/** A cloud's prices can depend on the id that was asked for (a region), and a deployment's name has no price. */
async function estimateServedCost(
  { usage, asked, model }: { usage: Usage; asked: string; model: string },
  { provider }: ModelApi,
): Promise<Cost | null> {
  const byAsked = isCloudName(provider) ? await estimateCost(usage, asked, provider) : null
  return byAsked ?? (await estimateCost(usage, model, provider))
}

interface LoopFacts {
  api: ModelApi
  /** The id of the requested model. */
  asked: string
  loaded: EngineReport['loaded']
  sessionId: string
  denials: string[]
  gate: RateLimiter
}

async function toLoopReport(
  work: LoopProgress,
  { api, asked, loaded, sessionId, denials, gate }: LoopFacts,
): Promise<EngineReport> {
  const { step, usage, model, answer, text, answered, outputLimit } = work
  return {
    ...emptyReport,
    finalResponse: text,
    answer: answer?.value,
    version: api.version,
    model,
    provider: api.provider,
    sessionId,
    usage: step === 0 ? null : usage,
    ...(outputLimit !== null && { outputLimit }),
    cost: step === 0 || usage === null ? null : (work.cost ?? (await estimateServedCost({ usage, asked, model }, api))),
    loaded,
    permissionDenials: denials,
    answered,
    retrying: retriedError(work, gate),
  }
}
