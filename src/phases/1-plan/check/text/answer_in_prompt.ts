/** Finds out whether a prompt contains the answer word for word without needing to. */
import { isOffered, type PromptSpan } from './offered_choices.ts'
import { wholeWords } from './whole_words.ts'
import { collectWords, flattenText, normalizeStatement } from './word_sets.ts'

/** Answers with fewer distinct words may be choices, or part of a file name. */
const leastWords = 5

/** Matches whole words only. Short, common answers are in many prompts by chance and do not count. */
export function revealsAnswer(prompt: string, answer: string): boolean {
  const count = collectWords(answer).size
  const isTelling = count >= 3 || hasLongNumber(answer) || (count === 2 && hasName(answer))
  const wanted = normalizeStatement(answer)
  if (!isTelling || wanted === '') return false
  const text = normalizeStatement(prompt)
  const shown = flattenText(prompt).length === text.length ? flattenText(prompt) : text
  let isFound = false
  for (const start of wholeWords(text, wanted)) {
    if (count >= leastWords) return true
    const span = { start, end: start + wanted.length }
    if (isOffered(shown, span)) return false
    isFound ||= !isInFileName(shown, span)
  }
  return isFound
}

/** A number of at least four digits that is not a year. */
function hasLongNumber(text: string): boolean {
  const numbers = text.match(/\d+(?:[.,]\d+)*/g) ?? []
  return numbers.some((one) => one.replaceAll(/\D/g, '').length >= 4 && !/^(?:19|20)\d\d$/.test(one))
}

/** A capitalised word that does not begin the text. */
function hasName(text: string): boolean {
  return /\s\p{Lu}[\p{L}\p{N}]{2,}/u.test(text.trim())
}

/** Part of a file name, a path or a URL: a file extension follows, or folders precede it. */
function isInFileName(text: string, { start, end }: PromptSpan): boolean {
  const before = text.slice(Math.max(0, start - 100), start)
  const after = text.slice(end, end + 100)
  return /\/[^\s"'`“”<>()]*$/.test(before) || /^[\w./-]*\.(?:[a-z][a-z0-9]{0,4}|[A-Z]{2,4})(?!\w)/.test(after)
}
