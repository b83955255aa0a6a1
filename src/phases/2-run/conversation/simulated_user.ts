/** A user that a model plays: its next message, checked by the leak guard before the agent gets it. */
import * as z from 'zod'
import type { Asked } from '../../../../schemas/asked.ts'
import type { ConversationRecord, SimulatedUser } from '../../../../schemas/conversation.ts'
import type { AskOutcome } from '../../../engines/ask/ask.ts'
import type { EngineError } from '../../../engines/engine.ts'
import { findLeaks, type SaidSoFar } from './leak_guard.ts'
import { buildStatementPrompt, buildUserPrompt, type UserPromptRequest } from './user_prompt.ts'

/** The model: asks for a value of a schema, with one repair round, and keeps count of the cost. */
export interface AskableModel {
  ask<S extends z.ZodType>(prompt: string, schema: S, signal: AbortSignal): Promise<AskOutcome<z.infer<S>>>
  /** All calls so far. */
  asked(): Asked
}

export interface SimulatedUserRequest {
  user: SimulatedUser
  /** Texts that the user may not tell the agent. The model never sees them. */
  answerKey: readonly string[]
  model: AskableModel
  /** false: messages are sent unchecked, which only demonstrates the need for the guard. */
  guard?: boolean
}

export type UserMove =
  | { kind: 'message'; text: string }
  | { kind: 'ended'; why: 'goal_met' | 'stop' | 'max_turns' }
  | { kind: 'failed'; error: EngineError }

export interface OpenedUser {
  /** `dialogue`: each message of the user with the agent's answer; the first is the prompt. Rejects only when aborted. */
  next(dialogue: SaidSoFar, signal: AbortSignal): Promise<UserMove>
  asked(): NonNullable<ConversationRecord['user']>
}

const defaultTurns = 10

const userAnswer = z
  .object({
    facts_used: z.array(z.number().int()).catch([]).describe('numbers of the facts that the message tells'),
    message: z.string(),
    done: z.enum(['goal_met', 'stop']).nullable(),
  })
  .refine(({ message, done }) => done !== null || message.trim() !== '', 'message is empty, and done is null')

export function openSimulatedUser({ user, answerKey, model, guard = true }: SimulatedUserRequest): OpenedUser {
  let askedAgain = 0
  const ask = async (request: UserPromptRequest, signal: AbortSignal): Promise<UserMove> => {
    const outcome = await model.ask(buildUserPrompt(request), userAnswer, signal)
    if (outcome.status === 'error') return { kind: 'failed', error: toUserError(outcome) }
    const { message, done } = outcome.value
    return done === null ? { kind: 'message', text: message.trim() } : { kind: 'ended', why: done }
  }
  return {
    async next(dialogue, signal) {
      const { turns } = dialogue
      if (turns.length > (user.max_turns ?? defaultTurns)) return { kind: 'ended', why: 'max_turns' }
      const findIn = (message: string) => (guard ? findLeaks({ message, user, dialogue, answerKey }) : [])
      const first = await ask({ user, turns }, signal)
      if (first.kind !== 'message') return first
      const found = findIn(first.text)
      if (found.length === 0) return first
      askedAgain += 1
      const second = await ask({ user, turns, refused: { message: first.text, found } }, signal)
      if (second.kind !== 'message') return second
      const left = findIn(second.text)
      return left.length === 0 ? second : { kind: 'failed', error: describeLeak(left) }
    },
    asked: () => ({ ...model.asked(), asked_again: askedAgain }),
  }
}

function describeLeak(found: readonly string[]): EngineError {
  const message = `the simulated user said more than its facts, also when asked again: ${found.join('; ')}`
  return { kind: 'user_leak', message, retryable: false, retryAfterMs: null }
}

/** A failure of the provider is one of the run; wrong answers are the user model's own. */
function toUserError({ error, failure }: Extract<AskOutcome<unknown>, { status: 'error' }>): EngineError {
  if (failure !== undefined) return { ...failure, message: `the user model: ${failure.message}` }
  return {
    kind: 'user_error',
    message: `the user model gave no message: ${error}`,
    retryable: true,
    retryAfterMs: null,
  }
}

const statementAnswer = z.object({ why: z.string(), holds: z.boolean() })

/** Whether a statement about the agent's answer holds. Rejects only when aborted. */
export async function decideStatement(
  { statement, answer, model }: { statement: string; answer: string; model: AskableModel },
  signal: AbortSignal,
): Promise<boolean | { error: EngineError }> {
  const outcome = await model.ask(buildStatementPrompt(statement, answer), statementAnswer, signal)
  return outcome.status === 'answered' ? outcome.value.holds : { error: toUserError(outcome) }
}
