/** Finds leakage: text of held-out cases in the skill itself. */
import { specificAnswers } from './case_specific_answers.ts'
import { type CaseWords, nGrams, splitIntoWords } from './case_words.ts'
import { findAnswerPairs, leastPairs } from './find_answer_tables.ts'
import { findParaphrase } from './guards/find_paraphrase.ts'
import { addedText, allText, type SkillEdit } from './skill_edit.ts'

/** The words in a row that are compared. */
const gramSize = 6
/** A shorter prompt leaks as a whole if it has at least this many words. */
const leastWords = 4
/** A held-out case leaks if the edit adds at least this many of its word sequences without another source. */
const leastGrams = 2

export interface LeakageRequest {
  edit: SkillEdit
  /** Cases that the proposer saw: their text is allowed. */
  seen: readonly CaseWords[]
  /** Held-out cases: the edit must not contain their text. */
  held: readonly CaseWords[]
}

/** Why the edit is refused; null: it contains nothing of the held-out cases. Text that the skill had before is allowed. */
export function findLeakage(request: LeakageRequest): string | null {
  const copied = findCopiedText(request)
  if (copied !== null) return copied
  const { edit, seen, held } = request
  const found = findParaphrase({ added: addedText(edit), before: allText(edit.before), seen, held })
  if (found === null) return null
  const shared = found.shared.map((one) => `"${one}"`).join(', ')
  return `it describes held-out case ${found.evalId} in other words: one passage shares ${shared} with it`
}

/** Finds what is copied: word sequences, whole prompts, and answers. */
export function findCopiedText({ edit, seen, held }: LeakageRequest): string | null {
  const added = addedText(edit)
  const known = new Set([...nGrams(allText(edit.before), gramSize), ...seen.flatMap((one) => [...collectGrams(one)])])
  const grams = nGrams(added, gramSize)
  for (const one of held) {
    const shared = [...collectGrams(one)].filter((gram) => grams.has(gram) && !known.has(gram))
    if (shared.length >= leastGrams) {
      return `it contains ${shared.length} sequences of ${gramSize} words from held-out case ${one.evalId}, such as "${shared[0]}" (at most ${leastGrams - 1} allowed)`
    }
    if (isCopied(one, { added, edit, seen })) return `it contains the whole prompt of held-out case ${one.evalId}`
  }
  const request = { added, edit, of: held, all: [...seen, ...held] }
  const found = specificAnswers(request)[0]
  if (found !== undefined) return `it contains "${found.answer}", which only held-out case ${found.evalId} expects`
  const pairs = findAnswerPairs(request)
  if (pairs.length < leastPairs) return null
  return `it contains answers of ${pairs.length} held-out cases next to their prompts, such as "${pairs[0]?.answer}" of case ${pairs[0]?.evalId} (at most ${leastPairs - 1} allowed)`
}

/** Whether a prompt too short for word sequences is copied word by word, and neither the skill nor a training prompt had it. */
function isCopied(
  { prompt }: CaseWords,
  { added, edit, seen }: Pick<LeakageRequest, 'edit' | 'seen'> & { added: string },
): boolean {
  const words = splitIntoWords(prompt)
  if (words.length < leastWords || words.length > gramSize) return false
  const known = [allText(edit.before), ...seen.map((one) => one.prompt)]
  const isIn = (text: string) => nGrams(text, words.length).has(words.join(' '))
  return isIn(added) && !known.some(isIn)
}

function collectGrams({ prompt, answers }: CaseWords): Set<string> {
  return new Set([prompt, ...answers].flatMap((text) => [...nGrams(text, gramSize)]))
}
