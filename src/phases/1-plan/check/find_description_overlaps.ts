/** Finds pairs of skills whose descriptions an agent may confuse, from their words alone. Pure; no model. */
import type { DescriptionOverlap } from '../../../../schemas/overlap.ts'
import { countEach } from '../../../base/totals.ts'
import { collectWords, stemWords } from './text/word_sets.ts'

export interface DescribedSkill {
  name: string
  description: string
}

/**
 * From this cosine on a pair is listed. Among 40,357 pairs within eight public collections (543 skills) it lists 63; by hand, about 70%
 * of those are descriptions that one request fits equally well.
 */
const leastSimilarity = 0.3

const mostWords = 8

/** The most similar first; `leastSimilarity` or more, or a trigger phrase in common. */
export function findDescriptionOverlaps(skills: readonly DescribedSkill[]): DescriptionOverlap[] {
  const texts = skills.map(({ description }) => dropLimits(description))
  const sets = dropFamilyWords(texts.map((text) => stemWords(collectWords(text))))
  const weigh = buildWeights(sets)
  const phrases = texts.map(findTriggerPhrases)
  const found = skills.flatMap((a, at) =>
    skills.slice(at + 1).flatMap((b, after): DescriptionOverlap[] => {
      const other = at + 1 + after
      const similarity = computeCosine(sets[at] ?? new Set(), sets[other] ?? new Set(), weigh)
      const both = [...(phrases[at] ?? [])].filter((one) => phrases[other]?.has(one))
      if (similarity < leastSimilarity && both.length === 0) return []
      const shared = [...(sets[at] ?? [])].filter((stem) => sets[other]?.has(stem))
      const stems = shared.sort((x, y) => weigh(y) - weigh(x) || x.localeCompare(y)).slice(0, mostWords)
      const words = spellOut(stems, texts[at] ?? '')
      const delimited = namesSkill(a.description, b.name) || namesSkill(b.description, a.name)
      const rounded = Math.round(similarity * 100) / 100
      return [{ a: a.name, b: b.name, similarity: rounded, words, phrases: both, delimited }]
    }),
  )
  return found.sort((x, y) => y.similarity - x.similarity)
}

const limit = /\b(?:do not|don['’]t|not for|not when|never|instead|rather than)\b|不要|不适用|不用于/i

/** Removes sentences about what the skill is not for: their words belong to other skills. */
function dropLimits(description: string): string {
  return description
    .split(/(?<=[.!?。！])\s*/)
    .filter((sentence) => !limit.test(sentence))
    .join(' ')
}

/** Removes words that more than a tenth of the descriptions use, and more than five: a template, or the subject of all. */
function dropFamilyWords(sets: readonly ReadonlySet<string>[]): Set<string>[] {
  const counts = countEach(sets.flatMap((set) => [...set]))
  const most = Math.max(5, sets.length / 10)
  return sets.map((set) => new Set([...set].filter((word) => (counts.get(word) ?? 0) <= most)))
}

/** The inverse document frequency, smoothed (as in scikit-learn). */
function buildWeights(sets: readonly ReadonlySet<string>[]): (word: string) => number {
  const counts = countEach(sets.flatMap((set) => [...set]))
  return (word) => Math.log((1 + sets.length) / (1 + (counts.get(word) ?? 0))) + 1
}

function computeCosine(a: ReadonlySet<string>, b: ReadonlySet<string>, weigh: (word: string) => number): number {
  const sum = (words: Iterable<string>) => [...words].reduce((total, word) => total + weigh(word) ** 2, 0)
  const [own, other] = [sum(a), sum(b)]
  if (own === 0 || other === 0) return 0
  return sum([...a].filter((word) => b.has(word))) / Math.sqrt(own * other)
}

/** Texts in quotation marks of at least two words, or twelve characters. */
function findTriggerPhrases(text: string): Set<string> {
  const quoted = [...text.matchAll(/(?<![\p{L}\p{N}])["“「'‘`]([^"”」'’`]{4,80})["”」'’`]/gu)].map(([, inner = '']) =>
    inner
      .toLowerCase()
      .trim()
      .replace(/[.,!?]$/, ''),
  )
  return new Set(quoted.filter((phrase) => /\s/.test(phrase) || phrase.length >= 12))
}

function spellOut(stems: readonly string[], text: string): string[] {
  const words = [...collectWords(text)].map((word) => [word, [...stemWords(new Set([word]))][0]] as const)
  return stems.map((stem) => words.find(([, own]) => own === stem)?.[0] ?? stem)
}

/** Whether the description sends to that skill. A name of one word may be any word: it counts after "use" and the like. */
function namesSkill(description: string, name: string): boolean {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const before = name.includes('-') ? '' : String.raw`(?:\b(?:use|see)\s+|[(\x60])`
  return new RegExp(String.raw`${before}(?<![\w-])${escaped}(?![\w-])`, 'i').test(description)
}

/** "similarity 0.42; both say pdf, form; both have "fill in"". */
export function formatOverlap({ similarity, words, phrases }: DescriptionOverlap): string {
  return [
    `similarity ${similarity.toFixed(2)}`,
    ...(words.length === 0 ? [] : [`both say ${words.join(', ')}`]),
    ...(phrases.length === 0 ? [] : [`both have the phrase ${phrases.map((one) => `"${one}"`).join(', ')}`]),
  ].join('; ')
}
