/** Leakage: text of cases that are to judge a skill, in the skill itself. */

import { answerPairs, leastPairs } from './answer_table.ts'
import { type CaseWords, nGrams, wordsIn } from './case_words.ts'
import { addedText, allText, type SkillEdit } from './skill_edit.ts'
import { specificAnswers } from './specific.ts'

/** So many words in a row. */
const gramSize = 6
/** A prompt that is shorter leaks as a whole, from so many words on. */
const leastWords = 4
/** A held-out case leaks when the edit adds at least so many of its runs of words that nothing else explains. */
const leastGrams = 2

export interface LeakageRequest {
  edit: SkillEdit
  /** Cases that the proposer saw: what they say may be said. */
  seen: readonly CaseWords[]
  /** Cases that judge: nothing of them may be in the edit. */
  held: readonly CaseWords[]
}

/** Why the edit is refused; null: it holds nothing of the cases that judge. What the skill said before is not held against it. */
export function leakageIn({ edit, seen, held }: LeakageRequest): string | null {
  const added = addedText(edit)
  const known = new Set([...nGrams(allText(edit.before), gramSize), ...seen.flatMap((one) => [...gramsOf(one)])])
  const grams = nGrams(added, gramSize)
  for (const one of held) {
    const shared = [...gramsOf(one)].filter((gram) => grams.has(gram) && !known.has(gram))
    if (shared.length >= leastGrams) {
      return `${shared.length} runs of ${gramSize} words of held-out case ${one.evalId} are in it, such as "${shared[0]}" (at most ${leastGrams - 1})`
    }
    if (isCopied(one, { added, edit, seen })) return `it holds the whole prompt of held-out case ${one.evalId}`
  }
  const request = { added, edit, of: held, all: [...seen, ...held] }
  const found = specificAnswers(request)[0]
  if (found !== undefined) return `it holds "${found.answer}", which only held-out case ${found.evalId} expects`
  const pairs = answerPairs(request)
  if (pairs.length < leastPairs) return null
  return `it holds answers of ${pairs.length} held-out cases beside their prompts, such as "${pairs[0]?.answer}" of case ${pairs[0]?.evalId} (at most ${leastPairs - 1})`
}

/** A prompt too short for runs of words, word by word, that neither the skill nor a training prompt had. */
function isCopied(
  { prompt }: CaseWords,
  { added, edit, seen }: Pick<LeakageRequest, 'edit' | 'seen'> & { added: string },
): boolean {
  const words = wordsIn(prompt)
  if (words.length < leastWords || words.length > gramSize) return false
  const known = [allText(edit.before), ...seen.map((one) => one.prompt)]
  const isIn = (text: string) => nGrams(text, words.length).has(words.join(' '))
  return isIn(added) && !known.some(isIn)
}

function gramsOf({ prompt, answers }: CaseWords): Set<string> {
  return new Set([prompt, ...answers].flatMap((text) => [...nGrams(text, gramSize)]))
}
