/** Runs a task in one session with an agent: start, conversation, end of the whole process tree, report. */
import { endMarked } from '../../base/process/marked_processes.ts'
import { runMark } from '../../base/process/process_marks.ts'
import { SpawnError } from '../../base/process/spawn.ts'
import { showInvocation } from '../../base/sandbox/policy.ts'
import { waitActiveTime } from '../../base/time/active_time.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import { withSchema } from '../../engines/answers/json_answer.ts'
import { completeRun, endsTurn, failRun } from '../../engines/answers/run_outcome.ts'
import { toRunError, toStartError } from '../../engines/cli/run_failure.ts'
import {
  type EngineContext,
  type EngineError,
  type EngineOutcome,
  type EngineTask,
  emptyReport,
} from '../../engines/engine.ts'
import { saysContextFull } from '../../engines/limits/error_text.ts'
import { type AgentProcess, startAgentProcess } from './agent_process.ts'
import { AgentTurns, type TurnEnd } from './agent_turns.ts'
import { type Handshake, shakeHands } from './handshake.ts'
import { type PreparedAgent, prepareAgent } from './plain_agent.ts'
import { AcpError, AcpSession, endFailure, requestFailure } from './session.ts'

/** Milliseconds that an agent has to end its turn when it is cancelled. */
const cancelMs = 1500

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
  const agent = await prepareAgent(task)
  if ('kind' in agent) return failRun(context, agent, { report: emptyReport, step: 0 })
  try {
    return await runPrepared(agent, request)
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error
    return failRun(context, toStartError(error, 'an argument is too long'), { report: emptyReport, step: 0 })
  }
}

async function runPrepared(agent: PreparedAgent, request: AgentRunRequest): Promise<EngineOutcome> {
  const { task, context, skillsFolder } = request
  const halt = createHalt()
  const turns = new AgentTurns({ task, context, agent, skillsFolder, halt: halt.end })
  context.soFar?.(() => turns.report(null))
  const process = startAgentProcess({
    ...{ launch: agent.launch, args: agent.args, stderrFile: context.stderrFile },
    onNotification: (method, params) => turns.takeNotification(method, params),
    onOtherLine: (line, read) => turns.updates.other.keepUnreadable(line, read, turns.updates.step),
  })
  const onAbort = () => {
    turns.isHalted = true
    halt.end({ kind: 'aborted' })
  }
  context.signal.addEventListener('abort', onAbort, { once: true })
  if (context.signal.aborted) onAbort()
  const session = await AcpSession.connect(process.stream, (asked) => turns.answerPermission(asked))
  const working = converseWithAgent({ session, turns, agent, task, startMs: request.startMs })
  const end = await Promise.race([working, halt.ended])
  context.signal.removeEventListener('abort', onAbort)
  if (end.kind === 'aborted' || end.kind === 'max_turns') {
    await session.cancel().catch(() => {}) // it may have ended
    await Promise.race([working, waitActiveTime(cancelMs)])
  }
  const last = await endAgent(process, end, task)
  turns.updates.finish()
  context.signal.throwIfAborted()
  return await conclude(last, turns, context)
}

/** The first end counts. */
function createHalt(): { ended: Promise<TurnEnd>; end: (end: TurnEnd) => void } {
  let end: (end: TurnEnd) => void = () => {}
  const ended = new Promise<TurnEnd>((resolve) => {
    end = resolve
  })
  return { ended, end }
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

const partialCount = "the agent reported the tokens of its last response only, so the run's own count is not known"

async function conclude(end: TurnEnd, turns: AgentTurns, context: EngineContext): Promise<EngineOutcome> {
  const report = await turns.report(end)
  const { step, stepsBefore, other } = turns.updates
  if (turns.countsLastResponse) turns.updates.keep('tokens_not_known', { message: partialCount })
  const fail = (error: EngineError) => failRun(context, error, { report, step })
  switch (end.kind) {
    case 'max_turns':
    case 'context_full':
      return completeRun(context, report, step)
    case 'failed':
      return fail(end.error)
    case 'gone':
      return fail(endFailure(end.process, { spoke: turns.handshake !== null, unreadable: other.unreadable }))
    case 'no_message':
      throw end.error
    case 'aborted':
      return fail(toRunError('crash', 'the agent closed its connection'))
    case 'over':
      if (step > stepsBefore) return completeRun(context, report, step)
      return fail(toRunError('bad_output', 'the agent ended its turn without an answer'))
  }
}

interface AgentConversation {
  session: AcpSession
  turns: AgentTurns
  agent: PreparedAgent
  task: EngineTask
  /** Milliseconds until the session must be open. */
  startMs: number
}

/** Resolves with the end of the last turn. Never rejects. `aborted` if the connection was closed: then the process says why. */
async function converseWithAgent(talk: AgentConversation): Promise<TurnEnd> {
  const { session, turns, task, startMs } = talk
  try {
    const opened = await openSession(talk)
    if (opened === null) return { kind: 'failed', error: silenceFailure(turns, startMs) }
    if (!opened.ok) return { kind: 'failed', error: opened.error }
    turns.handshake = opened
    let message = task.answerSchema === null ? task.prompt : withSchema(task.prompt, task.answerSchema)
    for (;;) {
      const result = await session.prompt(message)
      turns.results.push(result)
      turns.updates.finish()
      const end = { kind: 'over', result } as const
      const next = await takeNextMessage(talk, end)
      if (next === null) return end
      if (typeof next !== 'string') return next
      turns.updates.beginTurn()
      message = next
    }
  } catch (error) {
    if (!(error instanceof AcpError)) return { kind: 'aborted' }
    return toPromptFailure(requestFailure(error, ''), turns.hasAnswered)
  }
}

/** null: the agent was silent for too long. */
async function openSession({ session, agent, task, startMs }: AgentConversation): Promise<Handshake | null> {
  using limit = startTimeLimit(startMs)
  const { cwd, env } = showInvocation({ ...agent.launch, args: [] }, task.sandbox?.policy.places)
  const late = new Promise<null>((resolve) => limit.signal.addEventListener('abort', () => resolve(null)))
  return await Promise.race([shakeHands({ session, cwd, task: { ...task, env }, model: agent.sessionModel }), late])
}

/** null: the conversation is over, or the agent did not end its turn by itself. */
async function takeNextMessage(
  { turns, task }: AgentConversation,
  end: Extract<TurnEnd, { kind: 'over' }>,
): Promise<string | TurnEnd | null> {
  const { step, stepsBefore, lastText } = turns.updates
  if (task.nextMessage === undefined || step === stepsBefore || end.result.stopReason === 'cancelled') return null
  if (!endsTurn(turns.stopReason(end)) || turns.isHalted) return null
  try {
    const message = await task.nextMessage({ text: lastText, step })
    return message !== null && task.maxTurns !== null && step >= task.maxTurns ? { kind: 'max_turns' } : message
  } catch (error) {
    return { kind: 'no_message', error }
  }
}

/** A full context is an end of the agent's own, if the model had answered before. */
function toPromptFailure(error: EngineError, hadAnswered: boolean): TurnEnd {
  if (!saysContextFull(error.message)) return { kind: 'failed', error }
  return hadAnswered ? { kind: 'context_full' } : { kind: 'failed', error: toRunError('bad_request', error.message) }
}

function silenceFailure(turns: AgentTurns, startMs: number): EngineError {
  const { unreadable } = turns.updates.other
  const said = unreadable === null ? '' : `; it printed: ${unreadable.slice(0, 300)}`
  return toRunError('bad_output', `the program did not open an ACP session within ${startMs / 1000} s${said}`)
}
