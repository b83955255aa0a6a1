/** Checks a message of the simulated user: it may say nothing that is not in its goal, its facts or the dialogue. */
import type { SimulatedUser } from '../../../../schemas/conversation.ts'
import { findAgentWork } from './leaks/agent_work.ts'
import { findKeyPhrases } from './leaks/answer_key.ts'
import { findNewDetails } from './leaks/details.ts'
import { findInventions } from './leaks/inventions.ts'
import { findOtherLanguage } from './leaks/other_language.ts'
import { openSources } from './leaks/sources.ts'
import type { SaidSoFar } from './partner.ts'

export interface GuardedMessage {
  message: string
  user: SimulatedUser
  dialogue: SaidSoFar
  answerKey: readonly string[]
}

/** What is too much in the message, in plain words for the model that wrote it; empty: nothing. */
export function findLeaks({ message, user, dialogue, answerKey }: GuardedMessage): string[] {
  const { goal, facts = [], persona = '', stop = '' } = user
  const sources = openSources([
    ...[goal, ...facts, persona, stop],
    ...dialogue.turns.flatMap(({ prompt, answer }) => [prompt, answer]),
  ])
  const text = removeHidden(message.normalize('NFKC'))
  return [
    ...findKeyPhrases(text, answerKey, sources).map((part) => `words that are not yours: ${part}`),
    ...findNewDetails(text, sources).map((part) => `a detail that you do not know: ${part}`),
    ...findAgentWork(text, sources).map((part) => `work that is the assistant's: ${part}`),
    ...findOtherLanguage(text, sources).map((part) => `a language of neither you nor the assistant: ${part}`),
    ...findInventions(text, sources).map((part) => `things that are in none of your facts: ${part}`),
  ]
}

/** Removes invisible characters, which could split a word. */
function removeHidden(text: string): string {
  return text.replaceAll(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, '')
}
