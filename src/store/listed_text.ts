/** The text of an artefact with one long list, made part by part: a very long one is never in memory once more, as a text or as a checked copy. */

/** Entries of the list that are made into text at once. */
const together = 200

export interface Listed<T> {
  /** The artefact, checked, with its list empty. */
  frame: object
  /** The field of the list. */
  name: string
  items: readonly T[]
  /** Gives the entry as it is to be written; throws where it is unfit. */
  check: (item: T, index: number) => unknown
}

/** The bytes are those of the whole artefact written at once with two spaces. */
export function* listedText<T>({ frame, name, items, check }: Listed<T>): Generator<string> {
  const text = JSON.stringify(frame, null, 2)
  const place = `\n  ${JSON.stringify(name)}: []` // nowhere else: in a text the line break would be escaped
  const at = text.indexOf(place)
  if (at < 0) throw new Error(`no empty list ${name}`)
  if (items.length === 0) return yield `${text}\n`
  yield `${text.slice(0, at)}\n  ${JSON.stringify(name)}: [`
  for (let first = 0; first < items.length; first += together) {
    const parts = items.slice(first, first + together).map((item, index) => {
      return `\n    ${JSON.stringify(check(item, first + index), null, 2).replaceAll('\n', '\n    ')}`
    })
    yield `${first === 0 ? '' : ','}${parts.join(',')}`
  }
  yield `\n  ]${text.slice(at + place.length)}\n`
}
