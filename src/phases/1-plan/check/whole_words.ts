/** Where a text stands in another, as whole words. */

/**
 * The offsets, in order. A script without spaces may follow on a word at once.
 * The time grows with the two lengths alone (Knuth, Morris, Pratt 1977); `indexOf` takes their product for texts that repeat themselves.
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

/** For each offset the length of the longest shorter start of the text that also ends there. */
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
