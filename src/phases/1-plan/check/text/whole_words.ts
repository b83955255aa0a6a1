/** Finds where a text occurs in another as whole words. */

/**
 * Yields the offsets in order. Text in a script without spaces may follow a word directly.
 * Linear in the two lengths (Knuth, Morris, Pratt 1977); `indexOf` takes their product for repetitive texts.
 */
export function* wholeWords(text: string, wanted: string): Generator<number> {
  const shorter = shorterStarts(wanted)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    while (length > 0 && text[at] !== wanted[length]) length = shorter[length - 1] ?? 0
    if (text[at] === wanted[length]) length += 1
    if (length < wanted.length) continue
    const end = at + 1
    if (isWhole(text, end - length, end)) yield end - length
    length = shorter[length - 1] ?? 0
  }
}

/** For each offset, the length of the longest proper prefix of the text that ends there. */
function shorterStarts(text: string): Uint32Array {
  const lengths = new Uint32Array(text.length)
  let length = 0
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text[at] !== text[length]) length = lengths[length - 1] ?? 0
    if (text[at] === text[length]) length += 1
    lengths[at] = length
  }
  return lengths
}

function isWhole(text: string, start: number, end: number): boolean {
  return !wordEnds.test(text.slice(Math.max(0, start - 2), start)) && !wordGoesOn.test(text.slice(end, end + 3))
}

const wordEnds = /[\p{Script=Latin}\p{N}]$/u
const wordGoesOn = /^(?:[\p{Script=Latin}\p{N}]|[.,]\p{N})/u
