/** Leakage: text of cases that are to judge a skill, in the skill itself. */

import { type CaseWords, nGrams } from './case_words.ts'
import { addedText, allText, type SkillEdit } from './skill_edit.ts'
import { specificAnswers } from './specific.ts'

/** So many words in a row. */
const gramSize = 6
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
  }
  const found = specificAnswers({ added, edit, of: held, all: [...seen, ...held] })[0]
  return found === undefined ? null : `it holds "${found.answer}", which only held-out case ${found.evalId} expects`
}

function gramsOf({ prompt, answers }: CaseWords): Set<string> {
  return new Set([prompt, ...answers].flatMap((text) => [...nGrams(text, gramSize)]))
}
