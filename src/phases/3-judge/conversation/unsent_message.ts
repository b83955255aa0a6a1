/** Says why a message of a conversation was not sent, so that statements about the answer to it fail. Pure. */
import type { ConversationEnd, ConversationRecord } from '../../../../schemas/conversation.ts'

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
