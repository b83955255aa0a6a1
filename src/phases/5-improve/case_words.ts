/** What a case says, asks for and expects, as texts that a skill may not hold. */
import type { SuiteCase } from '../../../schemas/suite.ts'

export interface CaseWords {
  evalId: number
  prompt: string
  /** Expectations, checks, the expected output, reference answers: what an agent is never shown. */
  answers: string[]
}

export function wordsOfCase({
  eval_id,
  prompt,
  expected_output,
  expectations,
  checks,
  reference,
}: SuiteCase): CaseWords {
  const answers = [
    ...(expected_output === null ? [] : [expected_output]),
    ...expectations.map(({ text }) => text),
    ...checks.flatMap((one) => stringsIn(one)),
    ...(reference?.answer === undefined ? [] : [reference.answer]),
    ...Object.values(reference?.files ?? {}),
  ]
  return { evalId: eval_id, prompt, answers: answers.filter((text) => text.trim() !== '') }
}

/** Every text in a check but its type. */
function stringsIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return key === 'type' ? [] : [value]
  if (typeof value === 'number') return [String(value)]
  if (Array.isArray(value)) return value.flatMap((one) => stringsIn(one))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => stringsIn(one, name))
}

/** Words in lower case; punctuation and layout are no part of them. */
export function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:[.,:/_-][\p{L}\p{N}]+)*/gu) ?? []
}

/** Every run of so many words. */
export function nGrams(text: string, size: number): Set<string> {
  const tokens = wordsIn(text)
  const found = new Set<string>()
  for (let at = 0; at + size <= tokens.length; at += 1) found.add(tokens.slice(at, at + size).join(' '))
  return found
}
