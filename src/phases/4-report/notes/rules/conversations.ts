/** Notes on conversations that ended before all was said: how many of each configuration, and why. */
import type { ConversationEnd } from '../../../../../schemas/conversation.ts'
import { armNames } from '../../benchmark/arms.ts'
import { formatConfiguration, formatPlural } from '../../text/format.ts'
import type { NoteParts } from './note_parts.ts'

export function conversationNotes({ runs, arms }: NoteParts): string[] {
  const ends = armNames(arms).map((name) => {
    const own = runs.filter((run) => run.configuration === name)
    return { name, ended: own.flatMap(({ result }) => result.conversation_ended ?? []) }
  })
  if (!ends.some(({ ended }) => ended.some((why) => why !== 'all_delivered' && why !== 'goal_met'))) return []
  const counts = ends.flatMap(({ name, ended }) =>
    ended.length === 0 ? [] : `${formatPlural(ended.length, 'run')} ${formatConfiguration(name)}: ${countEnds(ended)}`,
  )
  return [`Conversations ended: ${counts.join('; ')}.`]
}

/** Most frequent first. */
function countEnds(ended: readonly ConversationEnd[]): string {
  const counts = [...new Set(ended)].map((why) => ({ why, count: ended.filter((one) => one === why).length }))
  const sorted = counts.sort((a, b) => b.count - a.count)
  return sorted.map(({ why, count }) => `${count} × ${endWords[why]}`).join(', ')
}

const endWords: Readonly<Record<ConversationEnd, string>> = {
  all_delivered: 'every message was sent',
  agent_did_not_ask: 'the agent did not ask',
  agent_response_mismatch: 'the condition of the next message was not met',
  end_when: 'the condition to end was met',
  goal_met: 'the goal of the user was met',
  stop: 'the user gave up',
  max_turns: 'the most messages were sent',
  agent_ended: 'the agent ended it',
}
