/** Finds a message that tells of things that no source mentions, without figures and names. */
import type { Sources } from './sources.ts'
import { findNewWords, splitWords } from './words.ts'

/** Words that are neither everyday nor in a source; an honest answer in other words has fewer. */
const mostNewWords = 5
const largestShare = 0.3

/** The words, if there are too many. Only in languages whose everyday words are known. */
export function findInventions(message: string, sources: Sources): string[] {
  const language = sources.language(message)
  if (language !== 'en' && language !== 'de') return []
  const words = splitWords(message)
  const found = findNewWords(words, sources.stems)
  const distinct = [...new Map(found.map((word) => [word.stem, word.text])).values()]
  if (distinct.length < mostNewWords || found.length < words.length * largestShare) return []
  return [distinct.join(', ')]
}
