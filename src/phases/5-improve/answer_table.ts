/** Answers of few digits or one word, each beside something of its prompt: one is chance, several are a table of the solutions. */
import { nGrams } from './case_words.ts'
import { allText } from './skill_edit.ts'
import { holds, isTelling, plain, type SpecificRequest, valuesIn } from './specific.ts'

/** So many cases whose answer stands beside their prompt are no chance any more. */
export const leastPairs = 3
/** So many words in a row of a prompt, which no other prompt has, tell it. */
const tellingWords = 4
/** Characters of one added line, or of the lines around it, within which a prompt and its answer belong together. */
const reach = 160
/** A row of more numbers is data. */
const mostNumbers = 8

export interface Pair {
  evalId: number
  answer: string
}

/** One of each case of `of` that has such a pair in the added text; the skill did not have it before. */
export function answerPairs({ added, edit, of, all }: SpecificRequest): Pair[] {
  const [parts, text, before] = [partsOf(added), plain(added), allText(edit.before)]
  const known = { text: plain(before), grams: nGrams(before, tellingWords) }
  const keys = new Set<string>()
  return of.flatMap((one) => {
    const others = all.filter(({ evalId }) => evalId !== one.evalId)
    const numbers = numbersIn(one.prompt)
    const elsewhere = [known.text, plain(others.flatMap(({ answers }) => answers).join('\n'))]
    const spoken = new Set([...known.grams, ...others.flatMap(({ prompt }) => [...nGrams(prompt, tellingWords)])])
    const words = [...nGrams(one.prompt, tellingWords)].filter((gram) => !spoken.has(gram))
    const answer = valuesIn(one.answers).find((candidate) => {
      const value = plain(candidate)
      if (isTelling(candidate) || holds(plain(one.prompt), value)) return false
      const isOwn = !elsewhere.some((other) => holds(other, value))
      const key = `${numbers.join(' ')} ${value}`
      if (isOwn && isNumbered(numbers) && !keys.has(key) && besideNumbers({ parts, text }, { numbers, value })) {
        keys.add(key)
        return true
      }
      if (value.length < 2 || words.length === 0) return false
      return around(text, value).some((near) => {
        const grams = nGrams(near, tellingWords)
        return words.some((gram) => grams.has(gram))
      })
    })
    return answer === undefined ? [] : [{ evalId: one.evalId, answer }]
  })
}

/** Two numbers, or one of two digits and more: a single digit is in any text. */
function isNumbered(numbers: readonly string[]): boolean {
  return numbers.length >= 2 || (numbers[0] ?? '').length >= 2
}

/** All numbers of a prompt near its answer; one that is nothing but a number counts in a short row only. */
function besideNumbers(
  { parts, text }: { parts: readonly string[]; text: string },
  { numbers, value }: { numbers: readonly string[]; value: string },
): boolean {
  const isBare = /^[\d.,:/-]+$/.test(value)
  const near = isBare ? parts.filter((part) => holds(part, value)) : around(text, value)
  return near.some((part) => numbers.every((number) => holds(part, number)))
}

/** Lines, two in a row, and the parts of a line that brackets and semicolons part, without those that are rows of data. */
function partsOf(text: string): string[] {
  const lines = text.split('\n')
  const parts = lines.flatMap((line, at) => [`${line} ${lines[at + 1] ?? ''}`, line, ...line.split(/[;|{}[\]]+/)])
  return parts.map(plain).filter((part) => part.length <= reach && numbersIn(part).length <= mostNumbers)
}

/** What stands around each place of a value. */
function around(text: string, value: string): string[] {
  const found: string[] = []
  for (let at = text.indexOf(value); at !== -1 && found.length < 200; at = text.indexOf(value, at + value.length)) {
    const near = text.slice(Math.max(0, at - reach), at + value.length + reach)
    if (holds(near, value)) found.push(near)
  }
  return found
}

function numbersIn(text: string): string[] {
  return [...new Set(plain(text).match(/\d+(?:\.\d+)?/g) ?? [])]
}
