/** A conversation of several turns: the user's further messages, scripted or played by a model. */
import * as z from 'zod'
import { asked } from './asked.ts'

/** What the agent's last answer must be. All parts that are given must hold. */
const answerCondition = {
  agent_response_matches: z
    .string()
    .min(1)
    .optional()
    .describe("a regular expression (JavaScript; (?i) at the start ignores case) that the agent's last answer matches"),
  agent_response_meets: z
    .string()
    .min(1)
    .optional()
    .describe(
      'a statement about the agent\'s last answer that the user model decides, such as "it asks for a currency"',
    ),
}

/** One further message of the user. If its condition does not hold, the conversation ends there. */
export const turn = z.strictObject({
  prompt: z.string().min(1),
  deliver_when: z
    .enum(['always', 'agent_asks'])
    .optional()
    .describe('agent_asks: only if the last answer has a question mark; absent: always'),
  ...answerCondition,
})

export const endCondition = z
  .strictObject(answerCondition)
  .refine((one) => Object.values(one).some((part) => part !== undefined), 'must have a condition')

/** Messages after the prompt, at most, where a simulated user has no `max_turns`. */
export const defaultUserTurns = 10

/** A user that a model plays. It says nothing that is not in its goal, its facts or the dialogue. */
export const simulatedUser = z.strictObject({
  goal: z.string().min(1).describe('what the user wants; the model ends the conversation when it is met'),
  facts: z
    .array(z.string().min(1))
    .optional()
    .describe('what the user knows and tells when asked; absent: nothing but the goal'),
  persona: z.string().min(1).optional().describe('how the user writes, such as "brief, impatient"; it adds no facts'),
  stop: z.string().min(1).optional().describe('when the user ends the conversation although the goal is not met'),
  max_turns: z.number().int().min(1).max(50).optional().describe('messages after the prompt, at most; absent: 10'),
})

/** How a conversation goes on after the prompt; the same in a case and in its runs. `turns` or `user`, not both. */
export const conversationFields = {
  turns: z.array(turn).min(1).optional().describe('further messages of the user, in order; absent: none'),
  end_when: endCondition.optional().describe('ends the conversation before the next message; absent: it never does'),
  user: simulatedUser.optional().describe('a model plays the user; absent: none does'),
}

/** Why a conversation ended. */
export const conversationEnd = z.enum([
  'all_delivered',
  'agent_did_not_ask',
  'agent_response_mismatch',
  'end_when',
  'goal_met',
  'stop',
  'max_turns',
  'agent_ended',
])

/** A conversation as it went. The first message is the prompt. */
export const conversationRecord = z.object({
  turns: z
    .array(
      z.object({
        prompt: z.string().describe('the message of the user'),
        answer: z.string().describe("the agent's last text before the next message"),
        step: z.number().int().nonnegative().describe('the last model response of the turn'),
      }),
    )
    .min(1),
  ended: conversationEnd.describe('agent_ended: by a limit, a refusal or a failure of the agent'),
  user: asked
    .extend({
      asked_again: z
        .number()
        .int()
        .nonnegative()
        .describe('messages that said more than the user may, and were asked again'),
    })
    .optional()
    .describe('what the user model did and cost, kept out of usage and cost of the run; absent: there was none'),
})

/**
 * Numbers of the user's messages among the events of a run, by the event's index; 1 is the prompt. Other user events, such as the
 * reminders of an engine, have none. A run without a conversation has no numbers.
 */
export function numberMessages(
  events: readonly { type: string; text?: string | undefined }[],
  conversation: Pick<ConversationRecord, 'turns'> | undefined,
): Map<number, number> {
  const numbers = new Map<number, number>()
  const said = conversation?.turns.map(({ prompt }) => prompt) ?? []
  let next = events.find(({ type }) => type === 'user')?.text === said[0] ? 0 : 1
  for (const [index, { type, text }] of events.entries()) {
    if (type !== 'user' || text !== said[next]) continue
    next += 1
    numbers.set(index, next)
  }
  return numbers
}

export type Turn = z.infer<typeof turn>
export type EndCondition = z.infer<typeof endCondition>
export type SimulatedUser = z.infer<typeof simulatedUser>
export type ConversationEnd = z.infer<typeof conversationEnd>
export type ConversationRecord = z.infer<typeof conversationRecord>
