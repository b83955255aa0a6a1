/** The texts of a case (prompt and expected answers) that a skill must not contain. */
import type { SuiteCase } from '../../../schemas/suite.ts'

export interface CaseWords {
  evalId: number
  prompt: string
  /** Expectations, checks, the expected output, reference answers: an agent never sees them. */
  answers: string[]
}

export function readCaseWords({
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
    ...checks.flatMap((one) => collectCheckTexts(one)),
    ...(reference?.answer === undefined ? [] : [reference.answer]),
    ...Object.values(reference?.files ?? {}),
  ]
  return { evalId: eval_id, prompt, answers: answers.filter((text) => text.trim() !== '') }
}

function collectCheckTexts(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return key === 'type' ? [] : [value]
  if (typeof value === 'number') return [String(value)]
  if (Array.isArray(value)) return value.flatMap((one) => collectCheckTexts(one))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => collectCheckTexts(one, name))
}

/** Words in lower case, without punctuation and layout. */
export function splitIntoWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:[.,:/_-][\p{L}\p{N}]+)*/gu) ?? []
}

/** Every sequence of `size` words. */
export function nGrams(text: string, size: number): Set<string> {
  const tokens = splitIntoWords(text)
  const found = new Set<string>()
  for (let at = 0; at + size <= tokens.length; at += 1) found.add(tokens.slice(at, at + size).join(' '))
  return found
}
