/** Reads time, tokens and cost of a run, whatever their names in the file. */
import type { Timing } from '../../../schemas/timing.ts'
import { costNames, millisecondsNames, secondsNames, tokenNames, tokenParts } from './names.ts'
import { type ForeignFields, mostUsable, pickMeasure, pickNumber, toMeasures } from './pick_values.ts'

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

/** Messages about measures that readForeignTiming skips because they are too large. */
export function findUnusableMeasures(source: unknown): string[] {
  const whole = toMeasures(source)
  const places = whole === null ? [] : [whole, ...findTokenPlaces(whole).map(({ place }) => place)]
  return places.flatMap((fields) =>
    [...new Set(measureNames)].flatMap((name) => {
      const value = fields[name]
      return typeof value === 'number' && value > mostUsable ? [`${name}: ${value} is too large to be used`] : []
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
  const sums = tokenParts.map((names) => names.reduce((sum, name) => sum + (pickNumber(fields, [name]) ?? 0), 0))
  const most = Math.max(...sums)
  return most > 0 ? most : null
}
