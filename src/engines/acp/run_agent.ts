/** Runs a task in one session with an agent: start, handshake, prompt, end of the whole process tree, report. */
import { endMarked } from '../../base/process/marked_processes.ts'
import { runMark } from '../../base/process/process_marks.ts'
import { SpawnError } from '../../base/process/spawn.ts'
import { showPlace } from '../../base/sandbox/policy.ts'
import { waitActiveTime } from '../../base/time/active_time.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import { withSchema } from '../answers/json_answer.ts'
import { completeRun, failRun } from '../answers/run_outcome.ts'
import { toRunError } from '../cli/run_failure.ts'
import { toStartError } from '../cli/start_error.ts'
import { type EngineContext, type EngineError, type EngineOutcome, type EngineTask, emptyReport } from '../engine.ts'
import { saysContextFull } from '../limits/context_full.ts'
import { type PreparedAgent, prepareAgent } from './prepare_agent.ts'
import { type AgentProcess, startAgentProcess } from './protocol/agent_process.ts'
import { endFailure, requestFailure } from './protocol/failure.ts'
import { shakeHands } from './protocol/handshake.ts'
import { AcpError, AcpSession } from './protocol/session.ts'
import { Turn } from './turn/turn.ts'
import type { TurnEnd } from './turn/turn_end.ts'

/** Milliseconds that an agent has to end its turn when it is cancelled, and that reading its own record may take. */
const cancelMs = 1500
const recordMs = 20_000
const pollMs = 500

export interface AgentRunRequest {
  task: EngineTask
  context: EngineContext
  /** Milliseconds until the session must be open. */
  startMs: number
  skillsFolder: string
}

/** Runs the agent with the task's credentials as they are. Rejects only when aborted, or when this machine runs short of a resource. */
export async function runAgent(request: AgentRunRequest): Promise<EngineOutcome> {
  const { task, context } = request
  context.signal.throwIfAborted()
  const agent = await prepareAgent(task, context)
  if ('kind' in agent) return failRun(context, agent, { report: emptyReport, step: 0 })
  try {
    return await runPrepared(agent, request)
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error
    return failRun(context, toStartError(error, 'an argument is too long'), { report: emptyReport, step: 0 })
  } finally {
    await agent.run.clean?.().catch(() => {})
  }
}

async function runPrepared(agent: PreparedAgent, request: AgentRunRequest): Promise<EngineOutcome> {
  const { task, context, skillsFolder } = request
  const halt = createHalt()
  const turn = new Turn({ task, context, agent, skillsFolder, halt: halt.end })
  context.soFar?.(() => turn.report(null))
  const process = startAgentProcess({
    ...{ launch: agent.launch, args: agent.run.args, stderrFile: context.stderrFile },
    onNotification: (method, params) => turn.takeNotification(method, params),
    onOtherLine: (line, read) => turn.updates.other.keepUnreadable(line, read, turn.updates.step),
  })
  const onAbort = () => {
    turn.isHalted = true
    halt.end({ kind: 'aborted' })
  }
  context.signal.addEventListener('abort', onAbort, { once: true })
  if (context.signal.aborted) onAbort()
  const polls = setInterval(() => {
    const error = agent.run.poll?.(turn.updates.calls.openIds()) ?? null
    if (error !== null) halt.end({ kind: 'failed', error: toRunError(error.kind, error.message) })
  }, pollMs)
  const session = await AcpSession.connect(process.stream, (asked) => turn.answerPermission(asked))
  const working = converse({ session, turn, agent, request })
  const end = await Promise.race([working, halt.ended])
  clearInterval(polls)
  context.signal.removeEventListener('abort', onAbort)
  if (end.kind === 'aborted' || end.kind === 'max_turns') {
    await session.cancel().catch(() => {}) // it may have ended
    await Promise.race([working, waitActiveTime(cancelMs)])
  }
  agent.run.finish?.()
  const last = await endAgent(process, end, task)
  turn.updates.finish()
  await readRecord(agent, turn)
  context.signal.throwIfAborted()
  return await conclude(withRecordedError(last, turn), { turn, agent, context })
}

/** An error of the provider that the agent reported as its answer. */
function withRecordedError(end: TurnEnd, { record, updates }: Turn): TurnEnd {
  const error = end.kind === 'over' ? (record?.error ?? null) : null
  return error === null ? end : toPromptFailure(toRunError(error.kind, error.message), updates.calls.count > 0)
}

/** The first end counts. */
function createHalt(): { ended: Promise<TurnEnd>; end: (end: TurnEnd) => void } {
  let end: (end: TurnEnd) => void = () => {}
  const ended = new Promise<TurnEnd>((resolve) => {
    end = resolve
  })
  return { ended, end: (one) => end(one) }
}

interface Conversation {
  session: AcpSession
  turn: Turn
  agent: PreparedAgent
  request: AgentRunRequest
}

/** The handshake and one prompt. Never rejects. `aborted` if the connection was closed: then the process says why. */
async function converse({ session, turn, agent, request }: Conversation): Promise<TurnEnd> {
  const { task, startMs } = request
  try {
    using limit = startTimeLimit(startMs)
    const cwd = showPlace(task.cwd, task.sandbox?.policy.places)
    const late = new Promise<null>((resolve) => limit.signal.addEventListener('abort', () => resolve(null)))
    const told = agent.run.takesServers ? { ...task, environment: undefined } : task
    const opened = await Promise.race([shakeHands({ session, cwd, task: told, model: agent.sessionModel }), late])
    if (opened === null) return { kind: 'failed', error: silenceFailure(turn, startMs) }
    if (!opened.ok) return { kind: 'failed', error: opened.error }
    turn.handshake = opened
    turn.result = await session.prompt(
      task.answerSchema === null ? task.prompt : withSchema(task.prompt, task.answerSchema),
    )
    turn.updates.finish()
    return { kind: 'over', result: turn.result }
  } catch (error) {
    if (!(error instanceof AcpError)) return { kind: 'aborted' }
    return toPromptFailure(requestFailure(error, ''), turn.hasAnswered)
  }
}

/** A full context is an end of the agent's own, if the model had answered before. */
function toPromptFailure(error: EngineError, hadAnswered: boolean): TurnEnd {
  if (!saysContextFull(error.message)) return { kind: 'failed', error }
  return hadAnswered ? { kind: 'context_full' } : { kind: 'failed', error: toRunError('bad_request', error.message) }
}

function silenceFailure(turn: Turn, startMs: number): EngineError {
  const { unreadable } = turn.updates.other
  const said = unreadable === null ? '' : `; it printed: ${unreadable.slice(0, 300)}`
  return toRunError('bad_output', `the program did not open an ACP session within ${startMs / 1000} s${said}`)
}

/** Ends the process and all that it started. Rejects with SpawnError if it could not start. */
async function endAgent(process: AgentProcess, end: TurnEnd, task: EngineTask): Promise<TurnEnd> {
  const done = new Error('the turn is over')
  process.stop(done)
  const ended = await process.ended.catch((error: unknown) => {
    if (error !== done) throw error
    return null
  })
  // programs of its tools may be in process groups of their own, and outlive it
  const mark = task.env[runMark]
  if (mark) await endMarked(mark)
  return end.kind === 'aborted' && ended !== null ? { kind: 'gone', process: ended } : end
}

async function readRecord({ run, launch }: PreparedAgent, turn: Turn): Promise<void> {
  const sessionId = turn.handshake?.started.sessionId
  if (run.readRecord === undefined || sessionId === undefined || !turn.hasAnswered) return
  using limit = startTimeLimit(recordMs)
  try {
    turn.record = await run.readRecord({ ...launch, signal: limit.signal }, sessionId)
  } catch {
    turn.record = null
  }
}

interface Conclusion {
  turn: Turn
  agent: PreparedAgent
  context: EngineContext
}

async function conclude(end: TurnEnd, { turn, agent, context }: Conclusion): Promise<EngineOutcome> {
  const report = await turn.report(end)
  const { step, other } = turn.updates
  const fail = (error: EngineError) => failRun(context, error, { report, step })
  switch (end.kind) {
    case 'max_turns':
    case 'context_full':
      return completeRun(context, report, step)
    case 'failed':
      return fail(end.error)
    case 'gone':
      return fail(endFailure(end.process, { spoke: turn.handshake !== null, unreadable: other.unreadable }))
    case 'aborted':
      return fail(toRunError('crash', 'the agent closed its connection'))
    case 'over': {
      if (step > 0) return completeRun(context, report, step)
      const provider = agent.run.seen?.().retrying
      if (provider) return fail(toRunError(provider.kind, provider.message))
      return fail(toRunError('bad_output', 'the agent ended its turn without an answer'))
    }
  }
}
