/** Answers that one case alone expects: in a skill they are no advice but the solution. */
import type { CaseWords } from './case_words.ts'
import { allText, type SkillEdit } from './skill_edit.ts'

export interface SpecificRequest {
  added: string
  edit: SkillEdit
  /** Whose answers are looked for. */
  of: readonly CaseWords[]
  /** All cases of the suite: what two of them expect is a rule. */
  all: readonly CaseWords[]
}

/** Those in the added text that neither a prompt nor the skill had before. */
export function specificAnswers({ added, edit, of, all }: SpecificRequest): { evalId: number; answer: string }[] {
  const text = bothWays(added)
  const before = bothWays(allText(edit.before))
  const prompts = bothWays(all.map(({ prompt }) => prompt).join('\n'))
  return of.flatMap(({ evalId, answers }) => {
    const others = bothWays(
      all
        .filter((one) => one.evalId !== evalId)
        .flatMap((one) => one.answers)
        .join('\n'),
    )
    return valuesIn(answers)
      .filter(isTelling)
      .flatMap((answer) => {
        const value = plain(answer)
        const isElsewhere = [before, prompts, others].some((known) => holds(known, value))
        return !isElsewhere && holds(text, value) ? [{ evalId, answer }] : []
      })
  })
}

/** Numbers, quoted values and short answers as a whole; plain words are what any text is made of. */
export function valuesIn(answers: readonly string[]): string[] {
  const found = answers.flatMap((answer) => {
    const quoted = [...answer.matchAll(/[`"“'‘]([^`"”'’\n]{3,120})[`"”'’]/g)].map(([, inner = '']) => inner)
    const numbers = answer.match(/\d[\d.,:/-]*\d/g) ?? []
    const whole = answer.length <= 120 && !answer.includes('\n') ? [answer] : []
    return [...quoted, ...numbers, ...whole].map((one) => one.trim())
  })
  return [...new Set(found)].filter((one) => one !== '')
}

/** Three digits, or several words: one such answer is enough. */
export function isTelling(value: string): boolean {
  if (value.length < 4) return false
  if ((value.match(/\d/g) ?? []).length >= 3) return true
  return value.split(/\s+/).length >= 4
}

/** With numbers in groups of three as one number, and as they stand: `100,471.5` may be a list. */
function bothWays(text: string): string {
  return `${plain(text)}\n${text.toLowerCase().replace(/\s+/g, ' ')}`
}

/** In lower case and with single spaces; `1,248` and `1_248` are 1248. */
export function plain(text: string): string {
  const grouped = /(?<![\d.,])\d{1,3}(?:[,_'’\u00A0\u202F]\d{3})+(?!,?\d)/g
  return text
    .replace(grouped, (number) => number.replace(/\D/g, ''))
    .toLowerCase()
    .replace(/\s+/g, ' ')
}

/** As a whole: 41 is not in 412. */
export function holds(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
    const [left, right] = [text[at - 1] ?? ' ', text[at + value.length] ?? ' ']
    if (!(/[\p{L}\p{N}]/u.test(left) && /[\p{L}\p{N}]/u.test(value[0] ?? '')) && !/[\p{L}\p{N}]/u.test(right))
      return true
  }
  return false
}
