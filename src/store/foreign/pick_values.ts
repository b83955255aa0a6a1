/** Reads values of unknown shape by tables of names. */

export type ForeignFields = Readonly<Record<string, unknown>>

/** The value as an object with fields; null for anything else, including lists. */
export function toForeignFields(value: unknown): ForeignFields | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null
}

/** The first of these fields that is a non-empty text; null: none. */
export function pickText(fields: ForeignFields | null, names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields?.[name]
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return null
}

/** Larger numbers can't be added exactly. */
export const mostUsable = Number.MAX_SAFE_INTEGER

/** The first of these fields that is a usable number of 0 or more; null: none. */
export function pickNumber(fields: ForeignFields | null, names: readonly string[]): number | null {
  for (const name of names) {
    const value = fields?.[name]
    if (typeof value === 'number' && value >= 0 && value <= mostUsable) return value
  }
  return null
}

/** pickNumber for fields from toMeasures. 0 counts as not known, because every run takes time and tokens. */
export function pickMeasure(fields: ForeignFields | null, names: readonly string[]): number | null {
  const known = names.filter((name) => pickNumber(fields, [name]) !== 0)
  return pickNumber(fields, known)
}

/** A number as text, as models write it: `12.5`, `1,234`. */
const asText = /^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/

/** The fields of an object, with names in snake case and numeric texts as numbers; null for anything else. */
export function toMeasures(value: unknown): ForeignFields | null {
  const fields = toForeignFields(value)
  if (fields === null) return null
  const inSnake = Object.entries(fields).map(([name, one]) => [toSnakeCase(name), one] as const)
  const all = [...inSnake, ...Object.entries(fields)] // a name already in snake case wins
  return Object.fromEntries(
    all.map(([name, one]) => [name, typeof one === 'string' ? (parseNumberText(one) ?? one) : one]),
  )
}

const toSnakeCase = (name: string) => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function parseNumberText(text: string): number | null {
  return asText.test(text.trim()) ? Number(text.replaceAll(',', '')) : null
}

/** The first of these fields that is a list; null: none. */
export function pickList(fields: ForeignFields | null, names: readonly string[]): readonly unknown[] | null {
  for (const name of names) {
    const value = fields?.[name]
    if (Array.isArray(value)) return value
  }
  return null
}
