/** What other tools ask of a text, as one regular expression of ours. */

/** A pattern that a text fits at its very start when it nowhere fits the given one, whatever the flags. */
export function absence(pattern: string): string {
  return `${start}(?![\\s\\S]*(?:${pattern}))`
}

/** A text that begins with this one. */
export function beginning(text: string): string {
  return `${start}${literal(text)}`
}

/** A text that ends with this one. */
export function ending(text: string): string {
  return `${literal(text)}(?![\\s\\S])`
}

/** A text in which one of these stands. */
export function anyOf(texts: readonly string[]): string {
  return texts.map(literal).join('|')
}

/** A text in which all of these stand. */
export function allOf(texts: readonly string[]): string {
  return `${start}${texts.map((text) => `(?=[\\s\\S]*${literal(text)})`).join('')}`
}

/** The start of the whole text, also where the flag m makes ^ the start of a line. */
const start = '(?<![\\s\\S])'

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
