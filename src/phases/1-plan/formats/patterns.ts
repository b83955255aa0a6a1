/** Builds regular expressions for the text tests of other tools; not for the flag m. */

/** Matches texts that begin with this one. */
export function prefixPattern(text: string): string {
  return `^${literal(text)}`
}

/** Matches texts that end with this one. */
export function suffixPattern(text: string): string {
  return `${literal(text)}$`
}

/** Matches texts that contain one of these. */
export function anyTextPattern(texts: readonly string[]): string {
  return texts.map(literal).join('|')
}

/** Matches texts that contain all of these. */
export function allTextsPattern(texts: readonly string[]): string {
  return `^${texts.map((text) => `(?=[\\s\\S]*${literal(text)})`).join('')}`
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
