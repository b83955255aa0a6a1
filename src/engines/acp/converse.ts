/** The handshake with an agent, and its turns in one session: one for the prompt, and one for each further message of the user. */
import { showPlace } from '../../base/sandbox/policy.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import { withSchema } from '../answers/json_answer.ts'
import { endsTurn } from '../answers/stop_reason.ts'
import { toRunError } from '../cli/run_failure.ts'
import type { EngineError, EngineTask } from '../engine.ts'
import { saysContextFull } from '../limits/context_full.ts'
import type { PreparedAgent } from './prepare_agent.ts'
import { requestFailure } from './protocol/failure.ts'
import { type Handshake, shakeHands } from './protocol/handshake.ts'
import { AcpError, type AcpSession } from './protocol/session.ts'
import type { AgentTurns } from './turn/agent_turns.ts'
import type { TurnEnd } from './turn/turn_end.ts'

export interface AgentConversation {
  session: AcpSession
  turns: AgentTurns
  agent: PreparedAgent
  task: EngineTask
  /** Milliseconds until the session must be open. */
  startMs: number
}

/** Resolves with the end of the last turn. Never rejects. `aborted` if the connection was closed: then the process says why. */
export async function converseWithAgent(talk: AgentConversation): Promise<TurnEnd> {
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
  const cwd = showPlace(task.cwd, task.sandbox?.policy.places)
  const late = new Promise<null>((resolve) => limit.signal.addEventListener('abort', () => resolve(null)))
  return await Promise.race([shakeHands({ session, cwd, task, model: agent.sessionModel }), late])
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
