/** Reads values of unknown shape by tables of names. */

export type Fields = Readonly<Record<string, unknown>>

/** The value as an object with fields; null for anything else, lists too. */
export function fieldsOf(value: unknown): Fields | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null
}

/** The first of these fields that is a non-empty text. */
export function textIn(fields: Fields | null, names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields?.[name]
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return null
}

/** A sum of millions of larger ones would be no number any more. */
export const mostUsable = Number.MAX_SAFE_INTEGER

/** The first of these fields that is a number of 0 or more, and can be reckoned with. */
export function numberIn(fields: Fields | null, names: readonly string[]): number | null {
  for (const name of names) {
    const value = fields?.[name]
    if (typeof value === 'number' && value >= 0 && value <= mostUsable) return value
  }
  return null
}

/** The same of measures as measuresOf gives them, and 0 counts as not known: nothing that ran took no time and no tokens. */
export function measureIn(fields: Fields | null, names: readonly string[]): number | null {
  const known = names.filter((name) => numberIn(fields, [name]) !== 0)
  return numberIn(fields, known)
}

/** A number that is written as text, as models write them: `12.5`, `1,234`. */
const asText = /^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/

/** The fields of an object with their names in snake case and numbers for texts that are nothing else; null for anything else. */
export function measuresOf(value: unknown): Fields | null {
  const fields = fieldsOf(value)
  if (fields === null) return null
  const inSnake = Object.entries(fields).map(([name, one]) => [snakeOf(name), one] as const)
  const all = [...inSnake, ...Object.entries(fields)] // a name that is in snake case by itself wins
  return Object.fromEntries(all.map(([name, one]) => [name, typeof one === 'string' ? (numberOf(one) ?? one) : one]))
}

const snakeOf = (name: string) => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function numberOf(text: string): number | null {
  return asText.test(text.trim()) ? Number(text.replaceAll(',', '')) : null
}

/** The first of these fields that is a list. */
export function listIn(fields: Fields | null, names: readonly string[]): readonly unknown[] | null {
  for (const name of names) {
    const value = fields?.[name]
    if (Array.isArray(value)) return value
  }
  return null
}
