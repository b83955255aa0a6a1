/** How much of what a judge says is kept: it may have copied what an agent left, of any length. */

const most = { characters: 8000, entries: 50 }

/** A text of a judge. */
export function boundedText(text: string): string {
  return text.length > most.characters ? `${text.slice(0, most.characters)}…` : text
}

/** The first entries of a list of a judge, each text in them bounded. */
export function boundedList<T, R>(list: readonly T[], bound: (one: T) => R): R[] {
  return list.slice(0, most.entries).map(bound)
}
