/** A user that a model plays: its next message, checked by the leak guard before the agent gets it. */
import * as z from 'zod'
import { defaultUserTurns, type SimulatedUser } from '../../../../schemas/conversation.ts'
import type { AskOutcome } from '../../../engines/ask/ask.ts'
import type { EngineError } from '../../../engines/engine.ts'
import { findLeaks } from './leak_guard.ts'
import type { AskableModel, NextMessage, Partner } from './partner.ts'
import { buildStatementPrompt, buildUserPrompt, type UserPromptRequest } from './user_prompt.ts'

interface SimulatedUserRequest {
  user: SimulatedUser
  /** Texts that the user may not tell the agent. The model sees them only in the guard's question, a call of its own. */
  answerKey: readonly string[]
  model: AskableModel
}

const userAnswer = z
  .object({
    facts_used: z.array(z.number().int()).describe('numbers of the facts that the message tells'),
    message: z.string(),
    done: z.enum(['goal_met', 'stop']).nullable(),
  })
  .refine(({ message, done }) => done !== null || message.trim() !== '', 'message is empty, and done is null')

export function openSimulatedUser({ user, answerKey, model }: SimulatedUserRequest): Partner {
  let askedAgain = 0
  const ask = async (request: UserPromptRequest, signal: AbortSignal): Promise<NextMessage> => {
    const outcome = await model.ask(buildUserPrompt(request), userAnswer, signal)
    if (outcome.status === 'error') return { kind: 'failed', error: toUserError(outcome, 'gave no message') }
    const { message, done } = outcome.value
    return done === null ? { kind: 'message', text: message.trim() } : { kind: 'ended', why: done }
  }
  return {
    async next(dialogue, signal) {
      const { turns } = dialogue
      if (turns.length > (user.max_turns ?? defaultUserTurns)) return { kind: 'ended', why: 'max_turns' }
      const findIn = (message: string) => findLeaks({ message, user, dialogue, answerKey }, model, signal)
      const first = await ask({ user, turns }, signal)
      if (first.kind !== 'message') return first
      const found = await findIn(first.text)
      if ('error' in found) return failUnchecked(found)
      if (found.length === 0) return first
      askedAgain += 1
      const second = await ask({ user, turns, refused: { message: first.text, found } }, signal)
      if (second.kind !== 'message') return second
      const left = await findIn(second.text)
      if ('error' in left) return failUnchecked(left)
      return left.length === 0 ? second : { kind: 'failed', error: describeLeak(left) }
    },
    asked: () => ({ ...model.asked(), asked_again: askedAgain }),
  }
}

function failUnchecked(failed: FailedAsk): NextMessage {
  return { kind: 'failed', error: toUserError(failed, 'did not say whether the message leaks') }
}

function describeLeak(found: readonly string[]): EngineError {
  const message = `the simulated user gave away what it cannot know, also when asked again: ${found.join('; ')}`
  return { kind: 'user_leak', message, retryable: false, retryAfterMs: null }
}

type FailedAsk = Extract<AskOutcome<unknown>, { status: 'error' }>

/** A failure of the provider keeps its kind; wrong answers are the user model's own. `did`: what it did not do. */
function toUserError({ error, failure }: FailedAsk, did: string): EngineError {
  if (failure !== undefined) return { ...failure, message: `the user model: ${failure.message}` }
  return { kind: 'user_error', message: `the user model ${did}: ${error}`, retryable: true, retryAfterMs: null }
}

const verdict = z.object({ why: z.string(), holds: z.boolean() })

/** Whether a statement about the agent's answer holds. Rejects only when aborted. */
export async function decideStatement(
  { statement, answer, model }: { statement: string; answer: string; model: Pick<AskableModel, 'ask'> },
  signal: AbortSignal,
): Promise<boolean | { error: EngineError }> {
  const outcome = await model.ask(buildStatementPrompt(statement, answer), verdict, signal)
  if (outcome.status === 'answered') return outcome.value.holds
  return { error: toUserError(outcome, `did not decide "${statement}"`) }
}
