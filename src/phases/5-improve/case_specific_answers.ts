/** Finds answers that only one case expects: in a skill they are not advice, but the solution. */
import type { CaseWords } from './case_words.ts'
import { allText, type SkillEdit } from './skill_edit.ts'

export interface SpecificRequest {
  added: string
  edit: SkillEdit
  /** The cases whose answers are searched. */
  of: readonly CaseWords[]
  /** All cases of the suite: an answer that two of them expect is a rule. */
  all: readonly CaseWords[]
}

/** Answers in the added text that were in no prompt and not in the skill before. */
export function specificAnswers({ added, edit, of, all }: SpecificRequest): { evalId: number; answer: string }[] {
  const text = expandNumbers(added)
  const before = expandNumbers(allText(edit.before))
  const prompts = expandNumbers(all.map(({ prompt }) => prompt).join('\n'))
  return of.flatMap(({ evalId, answers }) => {
    const others = expandNumbers(
      all
        .filter((one) => one.evalId !== evalId)
        .flatMap((one) => one.answers)
        .join('\n'),
    )
    return extractValues(answers)
      .filter(isDistinctive)
      .flatMap((answer) => {
        const value = toPlainText(answer)
        const isElsewhere = [before, prompts, others].some((known) => containsValue(known, value))
        return !isElsewhere && containsValue(text, value) ? [{ evalId, answer }] : []
      })
  })
}

/** Numbers, quoted values, and short answers as a whole; plain words are in any text. */
export function extractValues(answers: readonly string[]): string[] {
  const found = answers.flatMap((answer) => {
    const quoted = [...answer.matchAll(/[`"“'‘]([^`"”'’\n]{3,120})[`"”'’]/g)].map(([, inner = '']) => inner)
    const numbers = answer.match(/\d[\d.,:/-]*\d/g) ?? []
    const whole = answer.length <= 120 && !answer.includes('\n') ? [answer] : []
    return [...quoted, ...numbers, ...whole].map((one) => one.trim())
  })
  return [...new Set(found)].filter((one) => one !== '')
}

/** Three digits or several words: one such answer is enough to refuse an edit. */
export function isDistinctive(value: string): boolean {
  if (value.length < 4) return false
  if ((value.match(/\d/g) ?? []).length >= 3) return true
  return value.split(/\s+/).length >= 4
}

/** With grouped numbers both joined and as written: `100,471.5` may be a list. */
function expandNumbers(text: string): string {
  return `${toPlainText(text)}\n${text.toLowerCase().replace(/\s+/g, ' ')}`
}

/** In lower case with single spaces; `1,248` and `1_248` become 1248. */
export function toPlainText(text: string): string {
  const grouped = /(?<![\d.,])\d{1,3}(?:[,_'’\u00A0\u202F]\d{3})+(?!,?\d)/g
  return text
    .replace(grouped, (number) => number.replace(/\D/g, ''))
    .toLowerCase()
    .replace(/\s+/g, ' ')
}

/** Only as a whole: 41 is not in 412. */
export function containsValue(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
    const [left, right] = [text[at - 1] ?? ' ', text[at + value.length] ?? ' ']
    if (!(/[\p{L}\p{N}]/u.test(left) && /[\p{L}\p{N}]/u.test(value[0] ?? '')) && !/[\p{L}\p{N}]/u.test(right))
      return true
  }
  return false
}
