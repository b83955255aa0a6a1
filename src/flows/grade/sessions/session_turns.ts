/** The messages of the person in a recorded session with the answers to them, and how the session ended. Pure. */
import type { ConversationRecord } from '../../../../schemas/conversation.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'

/** undefined: the person wrote only once. The answer to a message is the agent's last text before the next one; '' if there is none. */
export function readSessionTurns(events: readonly TranscriptEvent[]): ConversationRecord | undefined {
  const turns: ConversationRecord['turns'] = []
  for (const event of events) {
    if (event.type === 'user') turns.push({ prompt: event.text, answer: '', step: event.step })
    const last = turns.at(-1)
    if (last === undefined || event.type === 'user' || event.type === 'result') continue
    last.step = event.step
    if (event.type === 'assistant') last.answer = event.text
  }
  return turns.length > 1 ? { turns, ended: 'all_delivered' } : undefined
}

/** Why the session says nothing about the agent: no answer, or a failure of the provider at its end. null: it does. */
export function explainNoEnd(events: readonly TranscriptEvent[]): string | null {
  const last = events.findLast((event) => isWork(event) || isFailure(event))
  if (!events.some(isWork)) return 'the session has no answer'
  return last === undefined || isWork(last)
    ? null
    : 'the session ended with an error of the provider or the agent program'
}

function isWork({ type }: TranscriptEvent): boolean {
  return type === 'assistant' || type === 'tool_call'
}

/** Ends of the agent's own or of the person, as opencode and Codex record them as errors. */
const ownEnd = /aborted|output ?length|context (?:window|length)|ran out of room/i

function isFailure(event: TranscriptEvent): boolean {
  if (event.type === 'error') return !ownEnd.test(`${event.kind} ${event.message}`)
  return event.type === 'system' && event.subtype === 'api_error'
}
