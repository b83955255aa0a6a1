/** Finds hard-coded answers: the solutions of training cases in the skill itself. */
import { specificAnswers } from './case_specific_answers.ts'
import { findAnswerPairs, leastPairs } from './find_answer_tables.ts'
import type { LeakageRequest } from './leakage.ts'
import { addedText } from './skill_edit.ts'

/** Why the edit is refused; null: it contains no answer that only training cases expect. */
export function findHardCodedAnswer({ edit, seen, held }: LeakageRequest): string | null {
  const asked = { added: addedText(edit), edit, of: seen, all: [...seen, ...held] }
  const [found] = specificAnswers(asked)
  if (found !== undefined)
    return `it contains "${found.answer.slice(0, 100)}", the answer of training case ${found.evalId}`
  const pairs = findAnswerPairs(asked)
  if (pairs.length < leastPairs) return null
  return `it contains answers of ${pairs.length} training cases next to their prompts, such as "${pairs[0]?.answer}" of case ${pairs[0]?.evalId} (at most ${leastPairs - 1} allowed)`
}
