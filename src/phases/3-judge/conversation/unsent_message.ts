/** Messages of a conversation that were not sent: why, and which statements about their answers fail or are left out. Pure. */
import type { ConversationEnd, ConversationRecord } from '../../../../schemas/conversation.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'

/** null: it was sent. `turn`: its number, 1 is the prompt. A run without a conversation has only the prompt. */
export function explainUnsentMessage(turn: number, conversation: ConversationRecord | undefined): string | null {
  const sent = conversation?.turns.length ?? 1
  if (turn <= sent) return null
  return `Message ${turn} was not sent: ${endReasons[conversation?.ended ?? 'all_delivered']}`
}

const endReasons: Readonly<Record<ConversationEnd, string>> = {
  all_delivered: 'the conversation has no such message',
  agent_did_not_ask: 'the agent did not ask',
  agent_response_mismatch: 'the answer of the agent did not meet the condition of the next message',
  end_when: 'the answer of the agent met the condition that ends the conversation',
  goal_met: 'the goal of the user was met before',
  stop: 'the user ended the conversation before',
  max_turns: 'the user had sent the most messages that it may',
  agent_ended: 'the agent ended before, by a limit, a refusal or a failure',
}

/**
 * A person chose what to say, so a message that a recorded session lacks is not a failure of the agent. Runs of Whetstone keep all
 * statements.
 */
export function leaveOutUnsaid(
  one: SuiteCase,
  { observed, conversation }: Pick<RunRecord, 'observed' | 'conversation'>,
): SuiteCase {
  if (observed !== true) return one
  const said = conversation?.turns.length ?? 1
  const isSaid = (statement: object) =>
    !('turn' in statement) || typeof statement.turn !== 'number' || statement.turn <= said
  return { ...one, expectations: one.expectations.filter(isSaid), checks: one.checks.filter(isSaid) }
}
