/** Builds regular expressions for the text tests of other tools. */

/** Matches at the very start of a text if `pattern` matches nowhere in it, whatever the flags. */
export function absencePattern(pattern: string): string {
  return `${start}(?![\\s\\S]*(?:${pattern}))`
}

/** Matches texts that begin with this one. */
export function prefixPattern(text: string): string {
  return `${start}${literal(text)}`
}

/** Matches texts that end with this one. */
export function suffixPattern(text: string): string {
  return `${literal(text)}(?![\\s\\S])`
}

/** Matches texts that contain one of these. */
export function anyTextPattern(texts: readonly string[]): string {
  return texts.map(literal).join('|')
}

/** Matches texts that contain all of these. */
export function allTextsPattern(texts: readonly string[]): string {
  return `${start}${texts.map((text) => `(?=[\\s\\S]*${literal(text)})`).join('')}`
}

/** Start of the whole text, even with the flag m, where ^ matches at each line. */
const start = '(?<![\\s\\S])'

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
