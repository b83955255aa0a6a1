/** Bounds the length of a judge's answer, which may copy text of an agent of any length. */

const most = { characters: 8000, entries: 50 }

/** Cuts a text of a judge. */
export function boundedText(text: string): string {
  return text.length > most.characters ? `${text.slice(0, most.characters)}…` : text
}

/** Keeps the first entries of a judge's list, each bounded. */
export function boundedList<T, R>(list: readonly T[], bound: (one: T) => R): R[] {
  return list.slice(0, most.entries).map(bound)
}
