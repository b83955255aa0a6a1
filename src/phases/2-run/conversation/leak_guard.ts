/** Checks a message of the simulated user: it may say nothing that is not in its goal, its facts or the dialogue. */
import type { SimulatedUser } from '../../../../schemas/conversation.ts'
import { findAgentWork } from './leaks/agent_work.ts'
import { findKeyPhrases } from './leaks/answer_key.ts'
import { findNewDetails } from './leaks/details.ts'
import { findOtherLanguage } from './leaks/other_language.ts'
import { openSources, type Sources } from './leaks/sources.ts'
import { findNewWords, splitWords } from './leaks/words.ts'
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
  const said = dialogue.turns.flatMap(({ prompt, answer }) => [prompt, answer])
  const sources = openSources([goal, ...facts, persona, stop, ...said].map(removeHidden))
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

/** Words that are neither everyday nor in a source; an honest answer in other words has fewer. */
const mostNewWords = 5
const largestShare = 0.3

/** The new words, if there are too many. Only in languages whose everyday words are known. */
function findInventions(message: string, sources: Sources): string[] {
  const language = sources.language(message)
  if (language !== 'en' && language !== 'de') return []
  const words = splitWords(message)
  const found = findNewWords(words, sources.stems)
  const distinct = [...new Map(found.map((word) => [word.stem, word.text])).values()]
  if (distinct.length < mostNewWords || found.length < words.length * largestShare) return []
  return [distinct.join(', ')]
}
