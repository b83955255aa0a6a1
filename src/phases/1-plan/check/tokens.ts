/** Texts as sets of words, and how much of one is in another. */

const words = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Words that say nothing of what is asked. */
const common = new Set(
  'a an and are as at be been by can do does for from has have in into is it its must of on or should that the their then there this to was were will with you your'.split(
    ' ',
  ),
)

/** The distinct words of a text, lower case, without the commonest English ones; in any script. */
export function tokens(text: string): Set<string> {
  const found = [...words.segment(text.normalize('NFC').toLowerCase())].filter(({ isWordLike }) => isWordLike)
  return new Set(found.map(({ segment }) => segment).filter((word) => !common.has(word)))
}

/** The share of the first's words that are in the second, 0 to 1; 0 for a text without words. */
export function shareIn(inner: ReadonlySet<string>, outer: ReadonlySet<string>): number {
  return inner.size === 0 ? 0 : [...inner].filter((word) => outer.has(word)).length / inner.size
}

/** Whether two texts say the same but for case, white space and the last full stop. */
export function normalised(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim().replace(/[.;]$/, '').trim()
}
