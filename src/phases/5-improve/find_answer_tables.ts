/** Finds tables of answers: short answers (few digits or one word) next to parts of their prompts. One may be chance, several are not. */
import {
  containsValue,
  extractValues,
  isDistinctive,
  type SpecificRequest,
  toPlainText,
} from './case_specific_answers.ts'
import { nGrams } from './case_words.ts'
import { allText } from './skill_edit.ts'

/** From this many cases with an answer next to their prompt, it is not chance. */
export const leastPairs = 3
/** This many words in a row identify a prompt if no other prompt has them. */
const tellingWords = 4
/** The most characters of a line, or around an answer, in which a prompt and its answer belong together. */
const reach = 160
/** A row with more numbers is data. */
const mostNumbers = 8

/** One pair for each case of `of` that has one in the added text, if the skill did not have it before. */
export function findAnswerPairs({ added, edit, of, all }: SpecificRequest): { evalId: number; answer: string }[] {
  const [parts, text, before] = [splitIntoParts(added), toPlainText(added), allText(edit.before)]
  const known = { text: toPlainText(before), grams: nGrams(before, tellingWords) }
  const keys = new Set<string>()
  return of.flatMap((one) => {
    const others = all.filter(({ evalId }) => evalId !== one.evalId)
    const numbers = findNumbers(one.prompt)
    const elsewhere = [known.text, toPlainText(others.flatMap(({ answers }) => answers).join('\n'))]
    const spoken = new Set([...known.grams, ...others.flatMap(({ prompt }) => [...nGrams(prompt, tellingWords)])])
    const words = [...nGrams(one.prompt, tellingWords)].filter((gram) => !spoken.has(gram))
    const answer = extractValues(one.answers).find((candidate) => {
      const value = toPlainText(candidate)
      if (isDistinctive(candidate) || containsValue(toPlainText(one.prompt), value)) return false
      const isOwn = !elsewhere.some((other) => containsValue(other, value))
      const key = `${numbers.join(' ')} ${value}`
      if (isOwn && isNumbered(numbers) && !keys.has(key) && isNearNumbers({ parts, text }, { numbers, value })) {
        keys.add(key)
        return true
      }
      if (value.length < 2 || words.length === 0) return false
      return findSurroundingTexts(text, value).some((near) => {
        const grams = nGrams(near, tellingWords)
        return words.some((gram) => grams.has(gram))
      })
    })
    return answer === undefined ? [] : [{ evalId: one.evalId, answer }]
  })
}

/** Two numbers, or one with at least two digits: a single digit is in any text. */
function isNumbered(numbers: readonly string[]): boolean {
  return numbers.length >= 2 || (numbers[0] ?? '').length >= 2
}

/** Whether all numbers of a prompt are near its answer; an answer that is only a number counts in a short row only. */
function isNearNumbers(
  { parts, text }: { parts: readonly string[]; text: string },
  { numbers, value }: { numbers: readonly string[]; value: string },
): boolean {
  const isBare = /^[\d.,:/-]+$/.test(value)
  const near = isBare ? parts.filter((part) => containsValue(part, value)) : findSurroundingTexts(text, value)
  return near.some((part) => numbers.every((number) => containsValue(part, number)))
}

/** Lines, pairs of lines, and the parts of a line between brackets and semicolons, without rows of data. */
function splitIntoParts(text: string): string[] {
  const lines = text.split('\n')
  const parts = lines.flatMap((line, at) => [`${line} ${lines[at + 1] ?? ''}`, line, ...line.split(/[;|{}[\]]+/)])
  return parts.map(toPlainText).filter((part) => part.length <= reach && findNumbers(part).length <= mostNumbers)
}

function findSurroundingTexts(text: string, value: string): string[] {
  const found: string[] = []
  for (let at = text.indexOf(value); at !== -1 && found.length < 200; at = text.indexOf(value, at + value.length)) {
    const near = text.slice(Math.max(0, at - reach), at + value.length + reach)
    if (containsValue(near, value)) found.push(near)
  }
  return found
}

function findNumbers(text: string): string[] {
  return [...new Set(toPlainText(text).match(/\d+(?:\.\d+)?/g) ?? [])]
}
