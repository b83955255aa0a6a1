/**
 * Finds passages that tell a held-out case in other words: they share rare words, names and numbers with it, in any order. It knows no
 * synonyms, so a paraphrase that keeps no name, no number and few words is not found.
 */
import type { CaseWords } from '../case_words.ts'
import { commonStems } from './common_words.ts'
import { type ContentWord, listContentWords, listProperNames } from './content_words.ts'

/** A passage: at most this many content words and lines. */
const passageWords = 25
const passageLines = 4
/** A word is rare if at most this many cases, or this share of them, have it. */
const fewCases = 2
const smallShare = 0.1
/** What a passage shares with a case: a name or a number says more than a word, a number of one digit or a year says less. */
const weights = { word: 1, name: 1.5, number: 1.5, smallNumber: 0.5 } as const
/** A paraphrase shares at least this much of what is new in the passage. */
const leastShare = 0.6
/** With a name or a number among it, this score is enough; without, it takes this many words. */
const leastScore = 5
const leastWords = 6

/** Numbers that say nothing. */
const everywhere: ReadonlySet<string> = new Set(['0', '1', '2'])

type Kind = keyof typeof weights

interface ParaphraseRequest {
  added: string
  /** All text of the skill as it was. */
  before: string
  seen: readonly CaseWords[]
  held: readonly CaseWords[]
}

interface Paraphrase {
  evalId: number
  /** What the passage shares with the case, in the order of the passage. */
  shared: string[]
}

/** The first passage that paraphrases a held-out case; null: there is none. */
export function findParaphrase({ added, before, seen, held }: ParaphraseRequest): Paraphrase | null {
  const known = new Set([before, ...seen.map(joinCaseTexts)].flatMap(listContentWords).map(({ value }) => value))
  const isNew = ({ value, kind }: ContentWord) =>
    !known.has(value) && !(kind === 'word' ? commonStems : everywhere).has(value)
  const heldWords = held.map((one) => listContentWords(joinCaseTexts(one)).filter(isNew))
  const counts = new Map<string, number>()
  for (const words of heldWords) {
    for (const value of new Set(words.map((one) => one.value))) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const most = Math.max(fewCases, Math.floor(smallShare * (seen.length + held.length)))
  const passage = listContentWords(added).filter(isNew)
  for (const [at, one] of held.entries()) {
    const names = listProperNames(joinCaseTexts(one))
    const rare = new Map<string, Kind>()
    for (const { value, kind } of heldWords[at] ?? []) {
      if (kind === 'number') rare.set(value, isSmall(value) ? 'smallNumber' : 'number')
      else if ((counts.get(value) ?? 0) <= most) rare.set(value, names.has(value) ? 'name' : 'word')
    }
    const shared = findSharingPassage(passage, rare)
    if (shared !== null) return { evalId: one.evalId, shared }
  }
  return null
}

function joinCaseTexts({ prompt, answers }: CaseWords): string {
  return [prompt, ...answers].join('\n')
}

/** One digit besides zeros at the end (7, 100), a year, or a version: they are in many texts. */
function isSmall(value: string): boolean {
  return /^\d0*$|^(?:19|20)\d\d$|\..*\./.test(value)
}

/** `words`: the new ones of the added text. Every passage begins and ends with a rare word. */
function findSharingPassage(words: readonly ContentWord[], rare: ReadonlyMap<string, Kind>): string[] | null {
  for (const [start, first] of words.entries()) {
    if (!rare.has(first.value)) continue
    const [all, shared, texts] = [new Set<string>(), new Map<string, Kind>(), new Map<string, string>()]
    for (const { value, line, position, text } of words.slice(start, start + passageWords)) {
      if (line >= first.line + passageLines || position >= first.position + passageWords) break
      all.add(value)
      const kind = rare.get(value)
      if (kind === undefined) continue
      shared.set(value, kind)
      texts.set(value, text)
      if (isParaphrase([...shared.values()], all.size)) return [...texts.values()]
    }
  }
  return null
}

/** `size`: the number of new words in the passage. */
function isParaphrase(kinds: readonly Kind[], size: number): boolean {
  const words = kinds.filter((kind) => kind === 'word').length
  if (kinds.length / size < leastShare) return false
  if (words >= leastWords) return true
  const hasAnchor = kinds.some((kind) => kind === 'name' || kind === 'number')
  const hasWord = kinds.some((kind) => kind === 'name' || kind === 'word')
  const score = kinds.reduce((sum, kind) => sum + weights[kind], 0)
  return hasAnchor && hasWord && score >= leastScore
}
