/** Latency: a fixed wait or one drawn from a distribution, in milliseconds. */
import * as z from 'zod'
import { chooseSchema, strictObject } from './strict_schema.ts'

const milliseconds = z.number({ error: 'must be milliseconds' }).min(0)

const uniform = strictObject({
  uniform: z.tuple([milliseconds, milliseconds], { error: 'must be [shortest, longest]' }),
}).transform(({ uniform: [low, high] }): Delay => ({ kind: 'uniform', low, high }))

const lognormal = strictObject({
  lognormal: strictObject({ median: milliseconds, sigma: z.number().min(0) }),
}).transform(({ lognormal: { median, sigma } }): Delay => ({ kind: 'lognormal', median, sigma }))

export type Delay =
  | { kind: 'fixed'; ms: number }
  | { kind: 'uniform'; low: number; high: number }
  | { kind: 'lognormal'; median: number; sigma: number }

/** A latency as written in a scenario: 50, {uniform: [20, 80]} or {lognormal: {median: 50, sigma: 0.5}}. */
export const delaySchema = chooseSchema((value): z.ZodType<Delay> => {
  if (value !== null && typeof value === 'object') return 'lognormal' in value ? lognormal : uniform
  return milliseconds.transform((ms) => ({ kind: 'fixed', ms }))
})

const longest = 3_600_000

/** Milliseconds to wait (an hour at most), from two independent numbers in [0, 1). */
export function drawDelay(spec: Delay, first: number, second: number): number {
  return Math.min(longest, sampleDelay(spec, first, second))
}

function sampleDelay(spec: Delay, first: number, second: number): number {
  switch (spec.kind) {
    case 'fixed':
      return spec.ms
    case 'uniform':
      return spec.low + (spec.high - spec.low) * first
    case 'lognormal': {
      const normal = Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second)
      return spec.median * Math.exp(spec.sigma * normal)
    }
  }
}
