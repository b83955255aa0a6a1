/** Texts as sets of words, and how much of one is in another. */

const words = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Between two blanks, cut where it is very long: with each word the segmenter gives a copy of the whole text that it was given. */
const piece = /\S{1,1000}/gu

/** Words that say nothing of what is asked. */
const common = new Set(
  'a an and are as at be been by can do does for from has have in into is it its must of on or should that the their then there this to was were will with you your'.split(
    ' ',
  ),
)

/** The distinct words of a text, lower case, without the commonest English ones; in any script. */
export function tokens(text: string): Set<string> {
  const pieces = new Set(text.normalize('NFC').toLowerCase().match(piece))
  const found = new Set<string>()
  for (const part of pieces) {
    for (const { segment, isWordLike } of words.segment(part))
      if (isWordLike && !common.has(segment)) found.add(segment)
  }
  return found
}

/** Words without the endings of a verb's forms and of plurals: sum, sums, summed, summing; write, writes, writing. */
export function stems(words: ReadonlySet<string>): Set<string> {
  return new Set([...words].map(stem))
}

function stem(word: string): string {
  const bare = word.replace(/(?<=[a-z]{3})(?:ies|ied)$/, 'y').replace(/(?<=[a-z]{3})(?:ing|ed|es|s)$/, '')
  return bare.replace(/(?<=[a-z]{2})e$/, '').replace(/([b-df-hj-np-rtv-z])\1$/, '$1')
}

/** The share of the first's words that are in the second, 0 to 1; 0 for a text without words. */
export function shareIn(inner: ReadonlySet<string>, outer: ReadonlySet<string>): number {
  return inner.size === 0 ? 0 : [...inner].filter((word) => outer.has(word)).length / inner.size
}

/** Whether two texts say the same but for case, white space and the last full stop. */
export function normalised(text: string): string {
  return flat(text).toLowerCase()
}

/** A text on one line, without its last full stop. */
export function flat(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim().replace(/[.;]$/, '').trim()
}
