/** Texts as vectors of weighted words (TF-IDF with smoothed idf, as in scikit-learn), and their cosine. Pure. */
import { collectWords, stemWords } from '../check/text/word_sets.ts'

/** Word → weight; of length 1, or empty for a text without words. */
export type WordVector = ReadonlyMap<string, number>

/** Words of requests that say nothing about the task. */
const polite = new Set(
  "please pls thank thanks could would should shall may might hi hey hello dear just need want like help let me my mine we our us i i'm i've i'd am so if when what how which who where some any all also now then there here give get got make take put go use using into out up about get make sure quick quickly".split(
    ' ',
  ),
)

/** The task is at the beginning, or at the end after something pasted. */
const [mostAtStart, mostAtEnd] = [2000, 600]

/** Words that count for the similarity of two tasks: stems, and the ending of each file in place of its name. */
export function findTaskWords(text: string): Set<string> {
  const shown =
    text.length > mostAtStart + mostAtEnd ? `${text.slice(0, mostAtStart)}\n${text.slice(-mostAtEnd)}` : text
  const plain = shown
    .replaceAll(/```[\s\S]*?(?:```|$)/g, ' ')
    .replaceAll(/\[redacted:[^\]]+\]/g, ' ')
    .replaceAll(/\bhttps?:\/\/\S+/g, ' ')
  const endings = new Set<string>()
  const withoutFiles = plain.replaceAll(/[\w./\\~-]*\w\.([a-z][a-z0-9]{0,4})\b/gi, (_, ending: string) => {
    endings.add(ending.toLowerCase())
    return ' '
  })
  const words = [...collectWords(withoutFiles)].filter(
    (word) => !polite.has(word) && !/\d/.test(word) && word.length > 1,
  )
  return new Set([...stemWords(new Set(words)), ...endings])
}

export function buildWordVectors(sets: readonly ReadonlySet<string>[]): WordVector[] {
  const counts = new Map<string, number>()
  for (const set of sets) for (const word of set) counts.set(word, (counts.get(word) ?? 0) + 1)
  return sets.map((set) => {
    const weights = [...set].map((word): [string, number] => [
      word,
      Math.log((1 + sets.length) / (1 + (counts.get(word) ?? 0))) + 1,
    ])
    return normalizeVector(new Map(weights))
  })
}

export function normalizeVector(vector: WordVector): WordVector {
  const length = Math.sqrt([...vector.values()].reduce((sum, weight) => sum + weight ** 2, 0))
  return length === 0 ? vector : new Map([...vector].map(([word, weight]) => [word, weight / length]))
}

/** Cosine of two vectors of length 1: from 0 to 1; 0 if one is empty. */
export function computeVectorCosine(a: WordVector, b: WordVector): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a]
  let sum = 0
  for (const [word, weight] of small) sum += weight * (large.get(word) ?? 0)
  return sum
}
