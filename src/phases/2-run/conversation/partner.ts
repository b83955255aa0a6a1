/** The other side of a conversation: a script, or a user that a model plays. */
import type * as z from 'zod'
import type { Asked } from '../../../../schemas/asked.ts'
import type {
  ConversationEnd,
  ConversationRecord,
  EndCondition,
  SimulatedUser,
  Turn,
} from '../../../../schemas/conversation.ts'
import { compileAnswerPattern, findPattern } from '../../../base/process/find_pattern.ts'
import type { AskOutcome } from '../../../engines/ask/ask.ts'
import type { EngineError } from '../../../engines/engine.ts'

/** What was said so far: each message of the user with the agent's answer. */
export interface SaidSoFar {
  turns: readonly { prompt: string; answer: string }[]
}

/** The model that plays the user: asks for a value of a schema, with one repair round, and keeps count of the cost. */
export interface AskableModel {
  ask<S extends z.ZodType>(prompt: string, schema: S, signal: AbortSignal): Promise<AskOutcome<z.infer<S>>>
  /** All calls so far. */
  asked(): Asked
}

export type NextMessage =
  | { kind: 'message'; text: string }
  | { kind: 'ended'; why: ConversationEnd }
  | { kind: 'failed'; error: EngineError }

export interface Partner {
  next(dialogue: SaidSoFar, signal: AbortSignal): Promise<NextMessage>
  /** What its model did and cost; undefined: it has none. */
  asked(): ConversationRecord['user']
}

export interface SimulatedUserRequest {
  user: SimulatedUser
  /** Texts that the user may not tell the agent. The model sees them only in the guard's question, a call of its own. */
  answerKey: readonly string[]
  model: AskableModel
}

type OpenSimulatedUser = (request: SimulatedUserRequest) => Partner

const simulatedUsers: Record<string, () => Promise<OpenSimulatedUser>> = {}

/** Adds that of a feature; again changes nothing. */
export function addSimulatedUsers(more: Readonly<typeof simulatedUsers>): void {
  Object.assign(simulatedUsers, more)
}

export async function openSimulatedUser(request: SimulatedUserRequest): Promise<Partner> {
  const [load] = Object.values(simulatedUsers)
  if (load === undefined) throw new Error('the run needs a user that a model plays, which no feature adds')
  return (await load())(request)
}

/** Decides a statement about an answer, by a model. */
export type DecideStatement = (
  statement: string,
  answer: string,
  signal: AbortSignal,
) => Promise<boolean | { error: EngineError }>

/** Plays the turns in order; the first condition that does not hold ends the conversation. */
export function openScript(turns: readonly Turn[], decide: DecideStatement): Pick<Partner, 'next'> {
  return {
    async next({ turns: said }, signal) {
      const turn = turns[said.length - 1]
      if (turn === undefined) return { kind: 'ended', why: 'all_delivered' }
      const answer = said.at(-1)?.answer ?? ''
      if (turn.deliver_when === 'agent_asks' && !/[?？؟]/.test(answer))
        return { kind: 'ended', why: 'agent_did_not_ask' }
      const holds = await meets(turn, { answer, decide, signal })
      if (typeof holds === 'object') return { kind: 'failed', error: holds.error }
      return holds ? { kind: 'message', text: turn.prompt } : { kind: 'ended', why: 'agent_response_mismatch' }
    },
  }
}

/** Ends the conversation when the condition holds, before the partner is asked. */
export function withEndCondition(
  { next }: Pick<Partner, 'next'>,
  condition: EndCondition | undefined,
  decide: DecideStatement,
): Partner['next'] {
  if (condition === undefined) return next
  return async (dialogue, signal) => {
    const answer = dialogue.turns.at(-1)?.answer ?? ''
    const holds = await meets(condition, { answer, decide, signal })
    if (typeof holds === 'object') return { kind: 'failed', error: holds.error }
    return holds ? { kind: 'ended', why: 'end_when' } : await next(dialogue, signal)
  }
}

async function meets(
  { agent_response_matches: pattern, agent_response_meets: statement }: EndCondition,
  { answer, decide, signal }: { answer: string; decide: DecideStatement; signal: AbortSignal },
): Promise<boolean | { error: EngineError }> {
  if (pattern !== undefined) {
    const { source, flags } = compileAnswerPattern(pattern)
    const found = await findPattern({ pattern: source, flags }, [answer], signal)
    if ('error' in found && found.by === 'limit') return false
    if ('error' in found) return { error: describePatternError(pattern, found.error) }
    if (found.value.index < 0) return false
  }
  return statement === undefined || (await decide(statement, answer, signal))
}

function describePatternError(pattern: string, reason: string): EngineError {
  const message = `the pattern ${JSON.stringify(pattern)} of the conversation could not be evaluated: ${reason}`
  return { kind: 'user_error', message, retryable: false, retryAfterMs: null }
}
