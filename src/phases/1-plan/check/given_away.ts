/** Whether a prompt holds the answer word for word, where it need not. */
import { isOffered, type Span } from './choices.ts'
import { flat, normalised, tokens } from './tokens.ts'
import { wholeWords } from './whole_words.ts'

/** Answers of fewer distinct words may be choices, or stand in the name of a file. */
const leastWords = 5

/** Whole words alone. What is short and common is in many prompts by chance. */
export function givesAway(prompt: string, answer: string): boolean {
  const count = tokens(answer).size
  const isTelling = count >= 3 || hasLongNumber(answer) || (count === 2 && hasName(answer))
  const wanted = normalised(answer)
  if (!isTelling || wanted === '') return false
  const text = normalised(prompt)
  const shown = flat(prompt).length === text.length ? flat(prompt) : text
  let isFound = false
  for (const start of wholeWords(text, wanted)) {
    if (count >= leastWords) return true
    const span = { start, end: start + wanted.length }
    if (isOffered(shown, span)) return false
    isFound ||= !isInFileName(shown, span)
  }
  return isFound
}

/** Of at least four figures, and no year. */
function hasLongNumber(text: string): boolean {
  const numbers = text.match(/\d+(?:[.,]\d+)*/g) ?? []
  return numbers.some((one) => one.replaceAll(/\D/g, '').length >= 4 && !/^(?:19|20)\d\d$/.test(one))
}

/** A capital of a word that does not begin the text. */
function hasName(text: string): boolean {
  return /\s\p{Lu}[\p{L}\p{N}]{2,}/u.test(text.trim())
}

/** A part of a file's name, a path or an address: something follows that ends as file names do, or folders come before. */
function isInFileName(text: string, { start, end }: Span): boolean {
  const before = text.slice(Math.max(0, start - 100), start)
  const after = text.slice(end, end + 100)
  return /\/[^\s"'`“”<>()]*$/.test(before) || /^[\w./-]*\.(?:[a-z][a-z0-9]{0,4}|[A-Z]{2,4})(?!\w)/.test(after)
}
