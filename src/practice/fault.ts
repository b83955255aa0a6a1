/** Faults on demand: what goes wrong, and for which requests. */
import { z } from 'zod'
import { pattern } from './pattern.ts'
import { evenChance, unit } from './seed.ts'
import { strict } from './strict.ts'

export type Trouble =
  | { kind: 'status'; status: number; retryAfter: number | null; message: string | null }
  | { kind: 'cut' | 'stall'; events: number }
  | { kind: 'malformed' }
  | { kind: 'hang' }

const count = z.number().int().min(1)

const troubles = {
  status: z.number().int().min(400).max(599).optional(),
  cut: z.number().int().min(0).optional(),
  malformed: z.literal(true).optional(),
  stall: z.number().int().min(0).optional(),
  hang: z.literal(true).optional(),
}

const kinds = Object.keys(troubles)

const shape = {
  ...troubles,
  retry_after: z.number().min(0).optional(),
  message: z.string().optional(),
  every: count.optional(),
  first: count.optional(),
  after: count.optional(),
  chance: z.number().min(0).max(1).optional(),
}

type Written = z.infer<z.ZodObject<typeof shape>>

function troubleOf(written: Written): Trouble | null {
  const { status, cut, malformed, stall, hang, retry_after, message } = written
  const given: (Trouble | false)[] = [
    status !== undefined && { kind: 'status', status, retryAfter: retry_after ?? null, message: message ?? null },
    cut !== undefined && { kind: 'cut', events: cut },
    malformed === true && { kind: 'malformed' },
    stall !== undefined && { kind: 'stall', events: stall },
    hang === true && { kind: 'hang' },
  ]
  const [one, ...more] = given.filter((trouble) => trouble !== false)
  return one !== undefined && more.length === 0 ? one : null
}

function timed(written: Written, context: z.RefinementCtx) {
  const trouble = troubleOf(written)
  if (trouble === null) {
    if (context.issues.length > 0) return z.NEVER
    context.issues.push({ code: 'custom', message: `must have exactly one of ${kinds.join(', ')}`, input: written })
    return z.NEVER
  }
  const { every, first, after, chance } = written
  return { trouble, every, first, after, chance }
}

/** The fault of a rule. */
export const ruleFault = strict(shape).transform(timed)

/** A fault of the whole server; `path` is a regex on the request's path. */
export const globalFault = strict({
  ...shape,
  path: pattern.default(/^\/v1\/(?:messages|responses|chat\/completions)$/),
}).transform(({ path, ...written }, context) => ({ path, ...timed(written, context) }))

export type RuleFault = z.output<typeof ruleFault>

/** Whether it strikes the request with this number (from 1) among those it could strike. */
export function strikes(fault: RuleFault, number: number, seed: number | string): boolean {
  const { every = 1, first = Number.POSITIVE_INFINITY, after = 0, chance = 1 } = fault
  if (number > first || number <= after || number % every !== 0) return false
  return evenChance(chance, number, unit(seed, 'fault', JSON.stringify(fault.trouble)))
}
