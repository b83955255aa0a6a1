/** Time, tokens and cost of a run, whatever the file calls them. */
import type { Timing } from '../../../schemas/timing.ts'
import { costNames, millisecondsNames, secondsNames, tokenNames, tokenParts } from './names.ts'
import { type Fields, measureIn, measuresOf, mostUsable, numberIn } from './pick.ts'

/** The first source that knows a measure gives it. Seconds win over milliseconds; 0 is not known. Null: nothing known. */
export function timingOf(sources: readonly unknown[]): Timing | null {
  const all = sources.map(measuresOf).filter((fields) => fields !== null)
  const seconds = firstKnown(all, secondsOf)
  const tokens = firstKnown(all, tokensOf)
  const cost = firstKnown(all, (fields) => measureIn(fields, costNames))
  if (seconds === null && tokens === null && cost === null) return null
  return {
    ...(tokens === null ? {} : { total_tokens: tokens }),
    ...(seconds === null ? {} : { total_duration_seconds: seconds }),
    ...(cost === null ? {} : { total_cost_usd: cost }),
  }
}

const measureNames = [...secondsNames, ...millisecondsNames, ...costNames, ...tokenNames, ...tokenParts.flat(), 'total']

/** What is said of each measure that timingOf passes over since it is too large to be reckoned with. */
export function unusableIn(source: unknown): string[] {
  const whole = measuresOf(source)
  const places = whole === null ? [] : [whole, ...placesIn(whole).map(({ place }) => place)]
  return places.flatMap((fields) =>
    [...new Set(measureNames)].flatMap((name) => {
      const value = fields[name]
      return typeof value === 'number' && value > mostUsable ? [`${name}: ${value} is no number that can be used`] : []
    }),
  )
}

function firstKnown(all: readonly Fields[], measure: (fields: Fields) => number | null): number | null {
  for (const fields of all) {
    const value = measure(fields)
    if (value !== null) return value
  }
  return null
}

function secondsOf(fields: Fields): number | null {
  const milliseconds = measureIn(fields, millisecondsNames)
  return measureIn(fields, secondsNames) ?? (milliseconds === null ? null : milliseconds / 1000)
}

/** Where tokens are counted within an object, and whether nothing else is. */
function placesIn({ usage, tokens, execution_metrics }: Fields): { place: Fields; isOfTokens: boolean }[] {
  const places = [usage, tokens].map((value) => ({ place: measuresOf(value), isOfTokens: true }))
  const all = [...places, { place: measuresOf(execution_metrics), isOfTokens: false }]
  return all.flatMap(({ place, isOfTokens }) => (place === null ? [] : [{ place, isOfTokens }]))
}

/** A total, else the sum of its kinds; both also inside `usage`, `tokens` or `execution_metrics`. A bare `total` outside of the first two may count verdicts or calls. */
function tokensOf(fields: Fields): number | null {
  const inside = placesIn(fields)
  const totals = inside.map(({ place, isOfTokens }) =>
    measureIn(place, isOfTokens ? [...tokenNames, 'total'] : tokenNames),
  )
  const total = measureIn(fields, tokenNames) ?? totals.find((one) => one !== null) ?? null
  return total ?? firstKnown([fields, ...inside.map(({ place }) => place)], sumOfKinds)
}

function sumOfKinds(fields: Fields): number | null {
  const sums = tokenParts.map((names) => names.reduce((sum, name) => sum + (numberIn(fields, [name]) ?? 0), 0))
  const most = Math.max(...sums)
  return most > 0 ? most : null
}
