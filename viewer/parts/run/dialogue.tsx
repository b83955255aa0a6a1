/** Shows the dialogue of a run: messages of the user and answers of the agent in order, how it ended, and who played the user. */
import type { ConversationEnd } from '../../../schemas/conversation.ts'
import type { PageConversation } from '../../../schemas/page.ts'
import { displayCount, displayDollars, displayPlural, revealHidden } from '../../format.ts'
import { Text } from '../content/text.tsx'

export function DialogueTab({ conversation }: { conversation: PageConversation }) {
  const { turns, ended, user } = conversation
  return (
    <>
      <ol class="dialogue">
        {turns.map(({ prompt, answer }, index) => (
          <li key={`${index}`}>
            <div class="said user">
              <p class="kind">message {index + 1}</p>
              <Text text={prompt} code={false} />
            </div>
            <div class="said agent">
              <p class="kind">answer {index + 1}</p>
              {answer === '' ? <p class="empty">No text.</p> : <Text text={answer} code={false} />}
            </div>
          </li>
        ))}
      </ol>
      <p class="hint">Ended: {endings[ended]}.</p>
      {user !== undefined && (
        <p class="hint">
          The user was played by <bdi>{revealHidden([user.engine, user.model].filter(Boolean).join(':'))}</bdi>:{' '}
          {displayPlural(user.calls, 'call')},{' '}
          {user.tokens === null ? 'tokens unknown' : `${displayCount(user.tokens)} tokens`},{' '}
          {user.cost_usd === null ? 'cost unknown' : displayDollars(user.cost_usd)}, outside the cost of the run.{' '}
          {user.asked_again === 0
            ? 'Every message stayed within what the user may say.'
            : `${displayPlural(user.asked_again, 'message')} said more than the user may, and ${user.asked_again === 1 ? 'was' : 'were'} asked again.`}
        </p>
      )}
    </>
  )
}

const endings: Record<ConversationEnd, string> = {
  all_delivered: 'every message was sent',
  agent_did_not_ask: 'the agent did not ask, so the next message was not sent',
  agent_response_mismatch: 'the answer did not meet the condition of the next message',
  end_when: 'the answer met the condition that ends the conversation',
  goal_met: 'the goal of the user was met',
  stop: 'the user ended it although the goal was not met',
  max_turns: 'the user had sent the most messages that it may',
  agent_ended: 'the agent ended it, by a limit, a refusal or a failure',
}
