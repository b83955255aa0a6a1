/** Paths into benchmark.json: their steps, which steps the schema has, and the value at a path. */
import * as z from 'zod'
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import { findArms } from '../benchmark/arms.ts'

export type PathStep = string | number

/** Steps of `a.b[2].c`; `[name with.dots]` is one step. */
export function parsePathSteps(path: string): PathStep[] {
  return [...path.matchAll(/\[(?<index>\d+)\]|\[(?<name>[^\]]+)\]|(?<plain>[^.[\]]+)/g)].map(({ groups }) =>
    groups?.index === undefined ? (groups?.name ?? groups?.plain ?? '').trim() : Number(groups.index),
  )
}

interface Unknown {
  message: string
  name: string
  /** The names that exist instead. */
  known: string[]
}

interface JsonSchema {
  properties?: Record<string, JsonSchema>
  additionalProperties?: JsonSchema | boolean
  items?: JsonSchema
  anyOf?: JsonSchema[]
}

/** The first step that a file of this schema can't have; null: every step is possible. */
export function findUnknownStep(
  path: readonly PathStep[],
  { file, schema }: { file: string; schema: z.ZodType },
): Unknown | null {
  let places: JsonSchema[] = [z.toJSONSchema(schema, { io: 'output' }) as JsonSchema]
  for (const [at, step] of path.entries()) {
    const next = places.flatMap((place) => followStep(place, step))
    if (next.length === 0) {
      const known = [...new Set(places.flatMap(alternatives).flatMap((place) => Object.keys(place.properties ?? {})))]
      const where = at === 0 ? file : path.slice(0, at).join('.')
      return { message: `${where} has no ${JSON.stringify(step)}`, name: String(step), known }
    }
    places = next
  }
  return null
}

function alternatives(place: JsonSchema): JsonSchema[] {
  return place.anyOf === undefined ? [place] : place.anyOf.flatMap(alternatives)
}

function followStep(place: JsonSchema, step: PathStep): JsonSchema[] {
  return alternatives(place).flatMap(({ properties, additionalProperties, items }) => {
    if (typeof step === 'number') return items ?? []
    const named = properties?.[step]
    if (named !== undefined) return named
    // an object open to anything ({}) may have other keys, but an undeclared one is usually a typing mistake
    const isTyped = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
    return isTyped ? additionalProperties : []
  })
}

/** The value at the path; undefined: nothing is there. */
export function readPathValue(made: unknown, path: readonly PathStep[]): unknown {
  return path.reduce<unknown>((value, step) => {
    if (value === null || typeof value !== 'object') return undefined
    return Object.entries(value).find(([key]) => key === String(step))?.[1]
  }, made)
}

/** The value at the path in a benchmark, whose configurations may be called candidate and baseline. */
export function readBenchmarkValue(made: Benchmark, path: readonly PathStep[]): unknown {
  const { candidate, baseline } = findArms(made)
  const names: Record<string, string | null> = { candidate, baseline }
  return path.reduce<unknown>((value, step, at) => {
    if (value === null || typeof value !== 'object') return undefined
    const isArm = path[at - 1] === 'run_summary' || path[at - 1] === 'arms'
    const name = isArm && typeof step === 'string' ? (names[step] ?? step) : step
    return Object.hasOwn(value, name) ? Object.entries(value).find(([key]) => key === String(name))?.[1] : undefined
  }, made)
}
