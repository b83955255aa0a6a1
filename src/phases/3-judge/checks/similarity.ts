/** similarity: the final answer, or an output file, is similar enough to a reference text. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { subtractEach } from '../../../base/totals.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText, failUnreadable } from './inputs/check_input.ts'
import { readSource } from './inputs/locate_output.ts'

export async function decideSimilarity(check: CheckOf<'similarity'>, context: CheckContext): Promise<CheckVerdict> {
  if (check.value === undefined) return { error: `the reference ${check.file} could not be read` }
  const source = await readSource(check.path, context)
  if ('verdict' in source) return source.verdict
  const algorithm = check.algorithm ?? 'words'
  const plain = (text: string) => (check.ignore_case === true ? text.toLowerCase() : text)
  const found = measureLikeness(algorithm, plain(source.text), plain(check.value))
  if ('error' in found) {
    const why = `${source.label} could not be compared: ${found.error}`
    const isOwn = 'error' in measureLikeness(algorithm, check.value, check.value)
    return isOwn ? { error: `${why}; so is the reference` } : failUnreadable(why)
  }
  const share = Math.floor(found.share * 1000) / 1000
  const said = `${source.label}: similarity to the reference ${share} (${algorithm})`
  if (found.share >= check.at_least) return { passed: true, evidence: said }
  const begins = `; it begins "${capText(source.text.trim(), 120)}"`
  return { passed: false, evidence: `${said}, not at least ${check.at_least}${begins}` }
}

type LikenessAlgorithm = 'words' | 'rouge_l' | 'levenshtein'

/** Maximum length of a text, and maximum steps of a comparison whose cost is the product of the lengths (about 0.1 s). */
const limits = { characters: 4_000_000, steps: 25_000_000 }

/**
 * words: 2 · words in common ÷ words of both (ROUGE-1 F1; repeated words count repeatedly).
 * rouge_l: the same for the longest common subsequence of words (Lin 2004).
 * levenshtein: 1 − edits ÷ characters of the longer one; runs of white space count as one space.
 * Two empty texts are 1. `error`: too long to compare.
 */
export function measureLikeness(
  algorithm: LikenessAlgorithm,
  one: string,
  other: string,
): { share: number } | { error: string } {
  if (Math.max(one.length, other.length) > limits.characters)
    return { error: `longer than ${limits.characters} characters` }
  switch (algorithm) {
    case 'words':
      return dice(splitWords(one), splitWords(other), common)
    case 'rouge_l':
      return dice(splitWords(one), splitWords(other), longestCommon)
    case 'levenshtein':
      return compareByEdits(splitCharacters(one), splitCharacters(other))
  }
}

function dice(
  one: readonly string[],
  other: readonly string[],
  shared: (one: readonly string[], other: readonly string[]) => number | null,
): { share: number } | { error: string } {
  if (one.length + other.length === 0) return { share: 1 }
  const count = shared(one, other)
  return count === null ? tooLong : { share: (2 * count) / (one.length + other.length) }
}

const tooLong = { error: 'too long for this algorithm; the algorithm words has no limit' }

function compareByEdits(one: readonly string[], other: readonly string[]): { share: number } | { error: string } {
  const longer = Math.max(one.length, other.length)
  if (longer === 0) return { share: 1 }
  if (one.length * other.length > limits.steps) return tooLong
  return { share: 1 - edits(one, other) / longer }
}

function splitWords(text: string): string[] {
  return text.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}

function splitCharacters(text: string): string[] {
  return [...text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()]
}

function common(one: readonly string[], other: readonly string[]): number {
  return one.length - subtractEach(one, other).length
}

function longestCommon(one: readonly string[], other: readonly string[]): number | null {
  if (one.length * other.length > limits.steps) return null
  let above = new Uint32Array(other.length + 1)
  for (const word of one) {
    const row = new Uint32Array(other.length + 1)
    for (const [index, beside] of other.entries()) {
      row[index + 1] = word === beside ? (above[index] ?? 0) + 1 : Math.max(above[index + 1] ?? 0, row[index] ?? 0)
    }
    above = row
  }
  return above.at(-1) ?? 0
}

function edits(one: readonly string[], other: readonly string[]): number {
  let above = Uint32Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [line, character] of one.entries()) {
    const row = new Uint32Array(other.length + 1)
    row[0] = line + 1
    for (const [index, beside] of other.entries()) {
      const swapped = (above[index] ?? 0) + (character === beside ? 0 : 1)
      row[index + 1] = Math.min(swapped, (above[index + 1] ?? 0) + 1, (row[index] ?? 0) + 1)
    }
    above = row
  }
  return above.at(-1) ?? 0
}
