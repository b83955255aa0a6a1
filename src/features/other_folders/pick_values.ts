/** Reads values of unknown shape by tables of names; and time, tokens and cost of a run, whatever their names in the file. */
import type { Timing } from '../../../schemas/timing.ts'
import { costNames, millisecondsNames, secondsNames, tokenNames, tokenParts } from './names.ts'

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

/** Any value as one text: the texts in it, in order. */
function toText(value: unknown): string {
  const parts = value !== null && typeof value === 'object' ? Object.values(value) : null
  return parts === null ? String(value ?? '').trim() : parts.map(toText).filter(Boolean).join(': ')
}

/** One text for each entry of a list, one for anything else; without empty ones. */
export function listTexts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(toText).filter(Boolean)
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
function pickMeasure(fields: ForeignFields | null, names: readonly string[]): number | null {
  const known = names.filter((name) => pickNumber(fields, [name]) !== 0)
  return pickNumber(fields, known)
}

/** A number as text, as models write it: `12.5`, `1,234`. */
const asText = /^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/

/** The fields of an object, with names in snake case and numeric texts as numbers; null for anything else. */
function toMeasures(value: unknown): ForeignFields | null {
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

/** Each measure comes from the first source that has it. Seconds win over milliseconds; 0 means not known. null: nothing known. */
export function readForeignTiming(sources: readonly unknown[]): Timing | null {
  const all = sources.map(toMeasures).filter((fields) => fields !== null)
  const seconds = firstKnown(all, readSeconds)
  const tokens = firstKnown(all, readTokens)
  const cost = firstKnown(all, (fields) => pickMeasure(fields, costNames))
  if (seconds === null && tokens === null && cost === null) return null
  return {
    ...(tokens === null ? {} : { total_tokens: tokens }),
    ...(seconds === null ? {} : { total_duration_seconds: seconds }),
    ...(cost === null ? {} : { total_cost_usd: cost }),
  }
}

const measureNames = [...secondsNames, ...millisecondsNames, ...costNames, ...tokenNames, ...tokenParts.flat(), 'total']

/** Messages about measures that readForeignTiming skips: too large, negative, or a text that is not a number. */
export function findUnusableMeasures(source: unknown): string[] {
  const whole = toMeasures(source)
  const places = whole === null ? [] : [whole, ...findTokenPlaces(whole).map(({ place }) => place)]
  return places.flatMap((fields) =>
    [...new Set(measureNames)].flatMap((name) => {
      const value = fields[name]
      if (typeof value === 'number' && value > mostUsable) return [`${name}: ${value} is too large to be used`]
      const isAmount = typeof value === 'number' ? value >= 0 : typeof value !== 'string' || value.trim() === ''
      return isAmount ? [] : [`${name}: ${JSON.stringify(value)} is not an amount, so it is unknown`]
    }),
  )
}

function firstKnown(all: readonly ForeignFields[], measure: (fields: ForeignFields) => number | null): number | null {
  for (const fields of all) {
    const value = measure(fields)
    if (value !== null) return value
  }
  return null
}

function readSeconds(fields: ForeignFields): number | null {
  const milliseconds = pickMeasure(fields, millisecondsNames)
  return pickMeasure(fields, secondsNames) ?? (milliseconds === null ? null : milliseconds / 1000)
}

/** Objects that count tokens within an object, and whether they count nothing else. */
function findTokenPlaces({
  usage,
  tokens,
  execution_metrics,
}: ForeignFields): { place: ForeignFields; isOfTokens: boolean }[] {
  const places = [usage, tokens].map((value) => ({ place: toMeasures(value), isOfTokens: true }))
  const all = [...places, { place: toMeasures(execution_metrics), isOfTokens: false }]
  return all.flatMap(({ place, isOfTokens }) => (place === null ? [] : [{ place, isOfTokens }]))
}

/** A total, else the sum of its kinds; also inside `usage`, `tokens`, `execution_metrics`. A bare `total` counts only in the first two. */
function readTokens(fields: ForeignFields): number | null {
  const inside = findTokenPlaces(fields)
  const totals = inside.map(({ place, isOfTokens }) =>
    pickMeasure(place, isOfTokens ? [...tokenNames, 'total'] : tokenNames),
  )
  const total = pickMeasure(fields, tokenNames) ?? totals.find((one) => one !== null) ?? null
  return total ?? firstKnown([fields, ...inside.map(({ place }) => place)], sumOfKinds)
}

function sumOfKinds(fields: ForeignFields): number | null {
  const sums = tokenParts.map((names) => {
    const parts = names.filter((name) => (fields[name] ?? null) !== null).map((name) => pickNumber(fields, [name]))
    return parts.reduce<number>((sum, part) => sum + (part ?? Number.NaN), 0) // one that is no amount makes the sum unknown
  })
  const most = Math.max(...sums.filter((sum) => sum > 0))
  return most > 0 ? most : null
}
