/** The agent loop: asks the model and runs the tool calls that it asks for, until it has finished. */
import type { Cost, Usage } from '../../../schemas/usage.ts'
import { completeRun, failRun } from '../answers/run_outcome.ts'
import { followSkillReads } from '../answers/skill_read.ts'
import { endsTurn } from '../answers/stop_reason.ts'
import { isCloudName } from '../clouds/table.ts'
import type { EngineContext, EngineOutcome, EngineReport, EngineTask } from '../engine.ts'
import { emptyReport } from '../engine.ts'
import { HookRunner } from '../hooks/hooks.ts'
import { createLimitedFetch } from '../limits/rate_limited_fetch.ts'
import { openRateLimiter, type RateLimiter } from '../limits/rate_limiter.ts'
import { estimateCost } from '../models/cost.ts'
import { addUsage } from '../models/usage.ts'
import { type LoopProgress, retriedError, startLoopProgress } from './loop_progress.ts'
import { startServers } from './servers/server_tools.ts'
import type { ModelApi, ModelSession } from './session.ts'
import { createAgentTool, runSubAgent } from './sub_agent.ts'
import { type Loop, takeTurn } from './take_turn.ts'
import type { ToolContext } from './tool_calls.ts'
import { openToolPlace } from './tool_workspace.ts'
import { describeTools, selectTools } from './tools/table.ts'

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
  const own = [...selectTools(task.tools, task.environment?.allowedTools), ...servers.tools]
  const gate = context.gate ?? openRateLimiter(null)
  const send = createLimitedFetch(gate)
  const subAgents = createAgentTool(task, (agent, prompt) => runSubAgent(agent, prompt, { task, api, send, loop }))
  const tools = subAgents === null ? own : [...own, subAgents]
  const session = await api.open(task, describeTools(tools, task.answerSchema), send)
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
  const loop: Loop = { session, work, workshop, gate, maxTurns: task.maxTurns, isSubAgent: false }
  const end = await converseInTurns(loop, task.nextMessage)
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

/** Goes on with the user's next message, as long as there is one and the agent ends its turns by itself. */
async function converseInTurns(loop: Loop, nextMessage: EngineTask['nextMessage']): ReturnType<typeof takeTurn> {
  const { session, work, workshop, maxTurns } = loop
  for (;;) {
    const end = await takeTurn(loop)
    if (nextMessage === undefined || 'kind' in end || !endsTurn(end.stopReason)) return end
    const message = await nextMessage({ text: work.text, step: work.step })
    workshop.place.signal.throwIfAborted()
    if (message === null) return end
    if (maxTurns !== null && work.step >= maxTurns) return { stopReason: 'max_turns' }
    work.text = ''
    session.addUser(message)
  }
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
