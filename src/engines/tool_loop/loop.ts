/** The agent loop: asks the model and runs the tool calls that it asks for, until it has finished. */
import { realpath } from 'node:fs/promises'
import * as z from 'zod'
import type { Cost, Usage } from '../../../schemas/usage.ts'
import { createSandboxView } from '../../base/sandbox/hidden_places.ts'
import { withTmp } from '../../base/sandbox/policy.ts'
import { completeAnswer, endsTurn, failRun } from '../answers/run_outcome.ts'
import { followSkillReads } from '../answers/skill_read.ts'
import { isCloudName } from '../clouds/table.ts'
import type { EngineContext, EngineOutcome, EngineReport, EngineTask, SubAgent } from '../engine.ts'
import { emptyReport } from '../engine.ts'
import { HookRunner } from '../hooks/hooks.ts'
import { createLimitedFetch } from '../limits/rate_limited_fetch.ts'
import { openRateLimiter, type RateLimiter } from '../limits/rate_limiter.ts'
import { addUsage, estimateCost } from '../models/cost.ts'
import { sdkSkillsFolder } from './sdk_settings.ts'
import { startServers } from './server_tools.ts'
import type { ModelApi, ModelSession } from './session.ts'
import { type Loop, type LoopProgress, retriedError, startLoopProgress, takeTurn } from './take_turn.ts'
import type { ToolContext } from './tool_calls.ts'
import { describeTools, selectTools } from './tools/table.ts'
import { defineTool, type LocalTool, type ToolAnswer, type ToolPlace } from './tools/tool.ts'

export interface LoopRequest {
  task: EngineTask
  context: EngineContext
  api: ModelApi
}

/** Runs a task to its end, however it ends; rejects only when aborted or when this machine runs short of a resource. */
export async function runLoop({ task, context, api }: LoopRequest): Promise<EngineOutcome> {
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
  // the system prompt has them whole
  const offers = Object.fromEntries(loaded.skills.map((name) => [name, 'full' as const]))
  const known = { api, asked: session.model, loaded, offers, sessionId: task.sessionId, gate }
  context.soFar?.(() => toLoopReport(withUnfinished(work, session), { ...known, denials: hooks?.denials ?? [] }))
  const workshop: ToolContext = {
    tools,
    place,
    answerSchema: task.answerSchema,
    hooks,
    emit: followSkillReads({ skills: task.skills, skillsFolder: sdkSkillsFolder, emit }),
  }
  const loop: Loop = { session, work, workshop, gate, maxTurns: task.maxTurns, isSubAgent: false }
  const end = await converseInTurns(loop, task.nextMessage).catch((error: unknown) => {
    const text = session.unfinished?.text ?? ''
    if (text !== '') emit({ type: 'assistant', step: work.step + 1, text })
    throw error
  })
  const report = await toLoopReport(work, { ...known, denials: hooks?.denials ?? [] })
  if ('kind' in end) return failRun(context, end, { report, step: work.step })
  return completeAnswer(context, { ...report, stopReason: end.stopReason }, work.step)
}

/** Adds the response that was cut off, as far as its usage is known. */
function withUnfinished(work: LoopProgress, { unfinished = null }: ModelSession): LoopProgress {
  if (unfinished === null) return work
  const { usage, model } = unfinished
  const sum = work.usage && usage && addUsage(work.usage, usage)
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
  offers: EngineReport['offers'] & {}
  sessionId: string
  denials: string[]
  gate: RateLimiter
}

async function toLoopReport(
  work: LoopProgress,
  { api, asked, loaded, offers, sessionId, denials, gate }: LoopFacts,
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
    longestPrompt: work.longestPrompt,
    ...(outputLimit !== null && { outputLimit }),
    cost: step === 0 || usage === null ? null : (work.cost ?? (await estimateServedCost({ usage, asked, model }, api))),
    ...{ loaded, offers },
    permissionDenials: denials,
    answered: answered || gate.isAnswering,
    retrying: retriedError(work, gate),
  }
}

/** The working folder with links resolved, and the task's sandbox, if any, with the run's TMPDIR as its /tmp. */
export async function openToolPlace(task: EngineTask, signal: AbortSignal): Promise<ToolPlace> {
  const { env } = task
  const sandbox = task.sandbox && withTmp(task.sandbox, env.TMPDIR ?? null)
  return {
    cwd: await realpath(task.cwd),
    env,
    confined: task.tools !== 'all',
    sandbox,
    view: sandbox === null ? null : await createSandboxView(sandbox, env.PATH ?? ''),
    signal,
  }
}

/** As in Claude Code, so that a check of a tool's name means the same on both. */
const agentTool = 'Agent'

/** The tool that starts one of the task's sub-agents; null: it has none, or may not change anything (a judge). */
function createAgentTool(
  { environment, tools }: Pick<EngineTask, 'environment' | 'tools'>,
  start: (agent: SubAgent, prompt: string) => Promise<ToolAnswer>,
): LocalTool | null {
  const agents = tools === 'all' ? (environment?.agents ?? []) : []
  if (agents.length === 0) return null
  const names = agents.map(({ name }) => name)
  const list = agents.map(({ name, description }) => `- ${name}: ${description.replace(/\s+/g, ' ').trim()}`)
  return defineTool({
    name: agentTool,
    description: [
      'Has a sub-agent do a part of the task in the same folder, and gives its final answer. It sees nothing of this conversation.',
      'These are available:',
      ...list,
    ].join('\n'),
    readOnly: false,
    input: z.object({
      description: z.string().optional().describe('the part of the task in a few words'),
      prompt: z.string().min(1).describe('all that the sub-agent must know'),
      subagent_type: z.enum(names).describe('name of the sub-agent'),
    }),
    work: async ({ prompt, subagent_type }) => {
      const agent = agents.find(({ name }) => name === subagent_type)
      return agent === undefined ? `no sub-agent is named ${subagent_type}` : await start(agent, prompt)
    },
  })
}

interface SubAgentPlace {
  task: EngineTask
  api: ModelApi
  send: typeof fetch
  loop: Loop
}

/** Its responses, tokens and cost count in the run, and so do its turns. It can't start sub-agents. Rejects only when aborted. */
async function runSubAgent(
  agent: SubAgent,
  prompt: string,
  { task, api, send, loop }: SubAgentPlace,
): Promise<ToolAnswer> {
  const { work, workshop, maxTurns } = loop
  if (maxTurns !== null && work.step >= maxTurns)
    return { text: 'not done: no response is left for it (--max-turns)', isError: true }
  const tools = workshop.tools.filter(({ name }) => mayUse(agent, name))
  const session = await api.open(toSubTask(task, agent, prompt), describeTools(tools, null), send)
  if ('kind' in session) return { text: session.message, isError: true, failure: session }
  workshop.emit({ type: 'system', step: work.step, subtype: 'sub_agent', text: agent.name })
  const before = work.text
  work.text = ''
  const own = { ...workshop, tools, answerSchema: null }
  const end = await takeTurn({ ...loop, session, workshop: own, isSubAgent: true })
  const text = work.text === '' ? '(no answer)' : work.text
  work.text = before
  if ('kind' in end) return { text: end.message, isError: true, failure: end }
  return end.stopReason === 'end_turn'
    ? { text, isError: false }
    : { text: `${text}\n(it ended early: ${end.stopReason})`, isError: true }
}

/** The same model, skills, rules and folder; its instructions instead of the agent's own. */
function toSubTask(task: EngineTask, { prompt: systemPrompt }: SubAgent, prompt: string): EngineTask {
  const { images: _, sharedPrefix: __, nextMessage: ___, environment, ...others } = task
  return { ...others, prompt, answerSchema: null, environment: environment && { ...environment, systemPrompt } }
}

/** A name may also stand for all tools of an MCP server: mcp__server. */
function mayUse({ tools, disallowedTools = [] }: SubAgent, name: string): boolean {
  const names = (one: string) => one === '*' || one === name || name.startsWith(`${one.replace(/__\*$/, '')}__`)
  return name !== agentTool && (tools?.some(names) ?? true) && !disallowedTools.some(names)
}
