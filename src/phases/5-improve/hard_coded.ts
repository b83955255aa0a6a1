/** Hard-coded: the solutions of training cases, in the skill itself. */
import { answerPairs, leastPairs } from './answer_table.ts'
import type { LeakageRequest } from './leakage.ts'
import { addedText } from './skill_edit.ts'
import { specificAnswers } from './specific.ts'

/** Why the edit is refused; null: it holds no answer that training cases alone expect. */
export function hardCodedIn({ edit, seen, held }: LeakageRequest): string | null {
  const asked = { added: addedText(edit), edit, of: seen, all: [...seen, ...held] }
  const [found] = specificAnswers(asked)
  if (found !== undefined)
    return `it holds "${found.answer.slice(0, 100)}", the answer of training case ${found.evalId}`
  const pairs = answerPairs(asked)
  if (pairs.length < leastPairs) return null
  return `it holds answers of ${pairs.length} training cases beside their prompts, such as "${pairs[0]?.answer}" of case ${pairs[0]?.evalId} (at most ${leastPairs - 1})`
}
