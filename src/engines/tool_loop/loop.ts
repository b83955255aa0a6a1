/** The agent loop: ask the model, do what it asks of the tools, until it has finished. */
import { isTooDeep } from '../../base/depth.ts'
import { estimateCost } from '../cost.ts'
import type { EngineContext, EngineError, EngineOutcome, EngineReport, EngineTask } from '../engine.ts'
import { emptyReport } from '../engine.ts'
import { type Gate, openGate } from '../gate.ts'
import { gatedFetch } from '../gated_fetch.ts'
import { HookRunner } from '../hooks/hooks.ts'
import { saidTooDeep } from '../json_line.ts'
import { complete, fail } from '../outcome.ts'
import { followSkillReads } from '../skill_read.ts'
import { addUsage } from '../usage.ts'
import { askPatiently } from './patience.ts'
import { placeOf } from './place.ts'
import type { Api, Asked, Session } from './session.ts'
import { performCalls, submitTool, type Workshop } from './tool_calls.ts'
import { offersOf, toolsFor } from './tools/table.ts'
import { beginWork, takeResponse, type Work } from './work.ts'

/** Tries of one request once the agent is at work. */
const triesAtWork = 4

const nudge = `You ended without an answer. Give it now: call ${submitTool}.`

export interface LoopRequest {
  task: EngineTask
  context: EngineContext
  api: Api
  skillsFolder: string
}

/** Runs a task to its end, whatever that is; rejects only when aborted. */
export async function runLoop({ task, context, api, skillsFolder }: LoopRequest): Promise<EngineOutcome> {
  const hooks = task.environment === undefined ? null : new HookRunner(task, context)
  const emit = hooks?.emit ?? context.emit
  const { signal } = context
  signal.throwIfAborted()
  const missing = api.missing(task.credentials)
  if (missing !== null) return fail(context, missing, { report: emptyReport, step: 0 })
  const tools = toolsFor(task.tools, task.environment?.allowedTools)
  const gate = context.gate ?? openGate(null)
  const session = api.open(task, offersOf(tools, task.answerSchema), gatedFetch(gate))
  const work = beginWork(session.model)
  const loaded = { skills: task.skills.map(({ name }) => name), tools: tools.map(({ name }) => name), mcp_servers: [] }
  emit({ type: 'system', step: 0, subtype: 'init', model: session.model, ...loaded })
  const known = { api, loaded, sessionId: task.sessionId }
  context.soFar?.(() => reportOf(withUnfinished(work, session), { ...known, denials: hooks?.denials ?? [] }))
  const workshop: Workshop = {
    tools,
    place: await placeOf(task, signal),
    skillReads: followSkillReads({ skills: task.skills, skillsFolder, emit }),
    submits: task.answerSchema !== null,
    hooks,
    emit,
  }
  const end = await converse({ session, work, workshop, gate, maxTurns: task.maxTurns })
  const report = await reportOf(work, { ...known, denials: hooks?.denials ?? [] })
  if ('kind' in end) return fail(context, end, { report, step: work.step })
  return complete(context, { ...report, stopReason: end.stopReason }, work.step)
}

/** With the response that was cut off, as far as it is known what that took. */
function withUnfinished(work: Work, { unfinished = null }: Session): Work {
  if (unfinished === null) return work
  const { usage, model } = unfinished
  const sum = work.usage && addUsage(work.usage, usage)
  return { ...work, step: work.step + 1, usage: sum, model: model || work.model }
}

interface Loop {
  session: Session
  work: Work
  workshop: Workshop
  gate: Gate
  maxTurns: number | null
}

async function converse(loop: Loop): Promise<{ stopReason: string } | EngineError> {
  const { session, work, workshop, maxTurns } = loop
  const isLast = () => maxTurns !== null && work.step >= maxTurns
  let nudged = false
  for (;;) {
    const asked = await ask(loop, nudged)
    if (!asked.ok) return asked.error
    const { stopReason, lastIsCut } = asked.response
    const calls = takeResponse(work, asked.response, workshop.emit)
    if (calls.some(({ input }) => isTooDeep(input))) return saidTooDeep
    if (calls.length > 0) {
      const done = await performCalls({ calls, lastIsCut, step: work.step }, workshop)
      if ('submitted' in done) {
        work.answer = { value: done.submitted }
        return { stopReason: 'submitted' }
      }
      session.addResults(done.results)
      if (workshop.hooks?.stopped) return { stopReason: 'hook' }
    }
    if (nudged) return { stopReason }
    const goesOn = calls.length > 0 || stopReason === 'pause_turn'
    if (goesOn && !isLast()) continue
    if (!goesOn && !isLast() && (await goesOnByHook(loop))) continue
    if (!workshop.submits || stopReason === 'refusal') return { stopReason: goesOn ? 'max_turns' : stopReason }
    nudged = true
    session.addUser(nudge)
    workshop.emit({ type: 'user', step: work.step, text: nudge })
  }
}

/** Whether a Stop hook made the agent go on. */
async function goesOnByHook({ session, work, workshop: { hooks, emit } }: Loop): Promise<boolean> {
  const text = (await hooks?.atEnd(work.text, work.step)) ?? null
  if (text === null) return false
  session.addUser(text)
  emit({ type: 'user', step: work.step, text })
  return true
}

/** After the nudge the answer is forced; a model that refuses to be forced is asked without. */
async function ask({ session, work, workshop, gate }: Loop, forced: boolean): Promise<Asked> {
  const { signal } = workshop.place
  const patience = { tries: work.step === 0 ? 1 : triesAtWork, signal, gate }
  const unforced = () => askPatiently(() => session.ask(null, signal), patience)
  if (!forced) return unforced()
  const asked = await askPatiently(() => session.ask(submitTool, signal), patience)
  return asked.ok || asked.error.kind !== 'bad_request' ? asked : unforced()
}

interface Known {
  api: Api
  loaded: EngineReport['loaded']
  sessionId: string
  denials: string[]
}

async function reportOf(work: Work, { api, loaded, sessionId, denials }: Known): Promise<EngineReport> {
  const { step, usage, model, answer, text } = work
  return {
    ...emptyReport,
    finalResponse: text,
    answer: answer?.value,
    version: api.version,
    model,
    provider: api.provider,
    sessionId,
    usage: step === 0 ? null : usage,
    cost: step === 0 || usage === null ? null : await estimateCost(usage, model, api.provider),
    loaded,
    permissionDenials: denials,
  }
}
