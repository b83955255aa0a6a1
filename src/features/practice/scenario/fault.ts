/** Faults on demand: what goes wrong, and for which requests. */
import * as z from 'zod'
import { patternSchema } from './pattern.ts'
import { evenChance, hashToUnit } from './seed.ts'
import { strictObject } from './strict_schema.ts'

export type PracticeFault =
  | { kind: 'status'; status: number; retryAfter: number | null; message: string | null }
  | { kind: 'cut' | 'stall'; events: number }
  | { kind: 'malformed' }
  | { kind: 'context_full' }
  | { kind: 'hang' }

const count = z.number().int().min(1)

const faultShapes = {
  status: z.number().int().min(400).max(599).optional(),
  cut: z.number().int().min(0).optional(),
  malformed: z.literal(true).optional(),
  stall: z.number().int().min(0).optional(),
  hang: z.literal(true).optional(),
  context_full: z.literal(true).optional(),
}

const kinds = Object.keys(faultShapes)

const shape = {
  ...faultShapes,
  retry_after: z.number().min(0).optional(),
  message: z.string().optional(),
  every: count.optional(),
  first: count.optional(),
  after: count.optional(),
  chance: z.number().min(0).max(1).optional(),
}

type WrittenFault = z.infer<z.ZodObject<typeof shape>>

function toPracticeFault(written: WrittenFault): PracticeFault | null {
  const { status, cut, malformed, stall, hang, context_full, retry_after, message } = written
  const given: (PracticeFault | false)[] = [
    status !== undefined && { kind: 'status', status, retryAfter: retry_after ?? null, message: message ?? null },
    cut !== undefined && { kind: 'cut', events: cut },
    malformed === true && { kind: 'malformed' },
    stall !== undefined && { kind: 'stall', events: stall },
    hang === true && { kind: 'hang' },
    context_full === true && { kind: 'context_full' },
  ]
  const [one, ...more] = given.filter((trouble) => trouble !== false)
  return one !== undefined && more.length === 0 ? one : null
}

function withTiming(written: WrittenFault, context: z.RefinementCtx) {
  const trouble = toPracticeFault(written)
  if (trouble === null) {
    if (context.issues.length > 0) return z.NEVER
    context.issues.push({ code: 'custom', message: `must have exactly one of ${kinds.join(', ')}`, input: written })
    return z.NEVER
  }
  const { every, first, after, chance } = written
  return { trouble, every, first, after, chance }
}

export const ruleFault = strictObject(shape).transform(withTiming)

/** A fault of the whole server; `path` is a regex on the request's path. */
export const globalFault = strictObject({
  ...shape,
  path: patternSchema.default(
    /^\/v1(?:\/(?:messages|responses|chat\/completions)|beta\/models\/[^/]+:(?:generate|streamGenerate)Content)$/,
  ),
}).transform(({ path, ...written }, context) => ({ path, ...withTiming(written, context) }))

export type RuleFault = z.output<typeof ruleFault>

/** Whether it hits the request with this number (from 1) among those it could hit. */
export function faultApplies(fault: RuleFault, number: number, seed: number | string): boolean {
  const { every = 1, first = Number.POSITIVE_INFINITY, after = 0, chance = 1 } = fault
  if (number > first || number <= after || number % every !== 0) return false
  return evenChance(chance, number, hashToUnit(seed, 'fault', JSON.stringify(fault.trouble)))
}
