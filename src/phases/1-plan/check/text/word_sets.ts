/** Treats texts as sets of words and measures how much of one is in another. */

const words = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Text between two blanks, cut into pieces, because the segmenter copies its whole input for each word. */
const piece = /\S{1,1000}/gu

/** Words without meaning for the task. */
const common = new Set(
  'a an and are as at be been by can do does for from has have in into is it its must of on or should that the their then there this to was were will with you your'.split(
    ' ',
  ),
)

/** A word that says that something is not, or must not be. */
export const negation =
  /\b(?:no|not|none|never|without|nothing|cannot|neither|nor|\w+n['’]t|(?:refus|declin|avoid|omit|reject|fail|skip|refrain)\w*|instead of|rather than)\b/i

/** The distinct words of a text in any script, in lower case, without the most common English words. */
export function collectWords(text: string): Set<string> {
  const pieces = new Set(text.normalize('NFC').toLowerCase().match(piece))
  const found = new Set<string>()
  for (const part of pieces) {
    for (const { segment, isWordLike } of words.segment(part))
      if (isWordLike && !common.has(segment)) found.add(segment)
  }
  return found
}

/** Removes the endings of verb forms and plurals: sum, sums, summed, summing; write, writes, writing. */
export function stemWords(words: ReadonlySet<string>): Set<string> {
  return new Set([...words].map(stem))
}

function stem(word: string): string {
  const bare = word.replace(/(?<=[a-z]{3})(?:ies|ied)$/, 'y').replace(/(?<=[a-z]{3})(?:ing|ed|es|s)$/, '')
  return bare.replace(/(?<=[a-z]{2})e$/, '').replace(/([b-df-hj-np-rtv-z])\1$/, '$1')
}

/** Share of the words of `inner` that are in `outer`, 0 to 1; 0 for a text without words. */
export function measureWordCoverage(inner: ReadonlySet<string>, outer: ReadonlySet<string>): number {
  return inner.size === 0 ? 0 : [...inner].filter((word) => outer.has(word)).length / inner.size
}

/** Normalises a statement, so that case, white space and the last full stop do not matter. */
export function normalizeStatement(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim().replace(/[.;]$/, '').trim().toLowerCase()
}
