import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { benchmark } from '../../schemas/benchmark.ts'
import { grading } from '../../schemas/grading.ts'
import { countedRecord, runRecord } from '../../schemas/run.ts'
import { quickParse, unsure } from '../../src/base/quick_parse.ts'

const examples = path.join(import.meta.dirname, '../schemas/fixtures')
const read = (file: string): unknown => JSON.parse(readFileSync(path.join(examples, file), 'utf8'))

/** One of each way to say something, so that each has values that fit and values that do not. */
const ways = z.object({
  text: z.string(),
  long: z.string().min(1).optional(),
  coded: z
    .string()
    .regex(/^[a-z]+$/)
    .optional(),
  at: z.iso.datetime().nullable(),
  count: z.number().int().min(0).max(5),
  above: z.number().positive().optional(),
  kind: z.enum(['a', 'b']).nullable().optional(),
  version: z.literal(1),
  isSo: z.boolean(),
  anything: z.unknown(),
  list: z.array(z.looseObject({ name: z.string(), size: z.number().optional() })),
  least: z.array(z.string()).min(1).optional(),
  byName: z.record(z.string(), z.number()).optional(),
  inNames: z.record(z.string(), z.object({ a: z.number(), b: z.string().optional() })).optional(),
  named: z.record(z.enum(['a', 'b']), z.number()).optional(),
  short: z.record(z.string().max(2), z.number()).optional(),
  either: z.union([z.number(), z.string()]),
  strict: z.strictObject({ a: z.string() }).optional(),
  usual: z.string().default('usual'),
  perhaps: z.string().default('usual').optional(),
  checked: z
    .object({ a: z.number(), b: z.number() })
    .refine(({ a, b }) => a <= b)
    .optional(),
  shape: z.discriminatedUnion('type', [
    z.object({ type: z.literal('one'), one: z.string() }),
    z.object({ type: z.literal('two'), two: z.number().optional() }),
  ]),
})

const fitting = {
  ...{ text: '', long: 'x', coded: 'abc', at: '2026-01-02T03:04:05Z', count: 5, above: 0.5, kind: null, version: 1 },
  ...{ isSo: false, anything: null, list: [{ more: [1], name: 'n' }], least: [''], byName: { x: 1 }, either: 'x' },
  ...{ inNames: { x: { a: 1, more: 2 }, y: { a: 2, b: '' } }, named: { a: 1, b: 2 }, short: { ab: 1 } },
  ...{
    strict: { a: '' },
    usual: 'x',
    perhaps: 'x',
    checked: { a: 1, b: 2 },
    shape: { type: 'one', one: '' },
    other: true,
  },
}

/** What stands in the place of a value, or nothing at all. */
const wrong = fc.constantFrom<unknown[]>(
  ...[
    '',
    'a',
    'two',
    'c',
    '2026-01-02',
    'aB',
    0,
    1,
    6,
    -1,
    0.5,
    2 ** 60,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    true,
    null,
  ],
  ...[undefined, [], {}, [null], [{ name: 1 }], { a: 2, b: 1 }, { type: 'three' }, { type: 'two', two: '' }],
)

function copied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copied)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copied(one)]))
}

const free = { enumerable: true, configurable: true, writable: true }

/** A copy with `changes` made anywhere in it: another value, one left out, one more, the order of keys turned. */
function changed(value: unknown, changes: readonly [place: number, how: number, other: unknown][]): unknown {
  const copy: unknown = copied(value)
  for (const [place, how, other] of changes) {
    const holders: Record<string, unknown>[] = []
    const visit = (one: unknown): void => {
      if (typeof one !== 'object' || one === null) return
      holders.push(one as Record<string, unknown>)
      Object.values(one).forEach(visit)
    }
    visit(copy)
    const holder = holders[place % holders.length] ?? {}
    if (Array.isArray(holder)) {
      holder.splice(place % (holder.length + 1), how % 2, ...(how < 3 ? [copied(other)] : []))
      continue
    }
    const keys = Object.keys(holder)
    const key = keys[place % Math.max(1, keys.length)] ?? 'new'
    const had = holder[key]
    if (how !== 2 && how !== 3) delete holder[key]
    if (how === 0) holder[key] = copied(other)
    else if (how === 2) holder[`more_${place}`] = copied(other)
    else if (how === 3) Object.defineProperty(holder, '__proto__', { value: copied(other), ...free })
    else if (how === 4)
      holder[key] = had // the last now
    else if (how === 5) Object.assign(holder, { more: copied(other) }, had === undefined ? {} : { [key]: had })
  }
  return copy
}

const record = {
  ...{ status: 'failed', error: { kind: 'crash', message: 'x' }, schema_version: 1, run_id: 'eval-1/with_skill/run-1' },
  ...{ eval_id: 1, eval_name: 'x', configuration: 'with_skill', run_number: 1, key: 'k', activation: 'natural' },
  engine: { name: 'command', version: null, model: null, provider: null },
  ...{ started_at: '2026-01-02T03:04:05.678Z', ended_at: '2026-01-02T03:04:06Z', duration_ms: 12.5, attempts: 1 },
  usage: { input_tokens: 1, output_tokens: 2, cache_read_tokens: 0, cache_write_tokens: 0 },
  ...{
    session_id: null,
    cost: { usd: 0.1, source: 'agent' },
    steps: 1,
    stop_reason: null,
    exit_code: 1,
    signal: null,
  },
  ...{ final_response: '', skill: { offered: true, read: null, read_at_step: null }, loaded: null },
  ...{ permission_denials: [], outputs: { files: [], deleted: [], left_out: [] }, warnings: ['w'] },
}

const artefacts: [name: string, z.ZodType, unknown][] = [
  ['one of each way', ways, fitting],
  ['benchmark.json', benchmark, read('benchmark.json')],
  ['grading.json', grading, read('grading.json')],
  ['run.json', runRecord, record],
  ['what counts of run.json', countedRecord, record],
]

describe.each(artefacts)('%s', (_, schema, sound) => {
  test('as it should be: nothing is left to zod, and the value is the same to the last byte', () => {
    expect(JSON.stringify(quickParse(schema, sound))).toBe(JSON.stringify(schema.parse(sound)))
  })

  test('changed anywhere: what zod gives, and nothing that zod refuses', () => {
    const change = fc.tuple(fc.nat(5000), fc.nat(5), wrong)
    let [fit, unfit] = [0, 0]
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const value = changed(sound, changes)
        const byZod = schema.safeParse(value)
        const quick = quickParse(schema, value)
        if (!byZod.success) expect(quick).toBe(unsure)
        else if (quick !== unsure) {
          expect(quick).toStrictEqual(byZod.data)
          expect(JSON.stringify(quick)).toBe(JSON.stringify(byZod.data))
        }
        if (!byZod.success) unfit += 1
        else if (quick !== unsure) fit += 1
      }),
      { numRuns: 300 },
    )
    expect(Math.min(fit, unfit)).toBeGreaterThan(20)
  })
})

describe('absent, or there without a value', () => {
  test.each(['text', 'long', 'anything', 'usual', 'perhaps', 'list'])('%s', (key) => {
    const without: Record<string, unknown> = { ...fitting }
    delete without[key]
    for (const value of [without, { ...fitting, [key]: undefined }]) {
      const byZod = ways.safeParse(value)
      const quick = quickParse(ways, value)
      if (quick !== unsure) expect(quick).toStrictEqual(byZod.data)
    }
    expect(quickParse(ways, without)).toStrictEqual(key === 'long' ? ways.parse(without) : unsure)
  })
})

test('a record under any names is not left to zod, which would copy it', () => {
  const schema = z.object({ names: z.record(z.string(), z.object({ a: z.number() })) })
  const fit = { names: { toString: { a: 1 }, 2: { a: 2 } } }
  expect(quickParse(schema, fit)).toBe(fit)
  const more = { names: { x: { a: 1 }, y: { a: 2, more: 3 } } }
  expect(quickParse(schema, more)).toStrictEqual({ names: { x: { a: 1 }, y: { a: 2 } } })
  expect(more.names.y.more).toBe(3)
  for (const names of [
    { [Symbol('x')]: { a: 1 } },
    { constructor: class {} },
    Object.create({ x: { a: 1 } }),
    new Map(),
    [],
  ]) {
    expect(quickParse(schema, { names })).toBe(unsure)
  }
})

test('an exactly optional part may not be there without a value', () => {
  const schema = z.object({ a: z.exactOptional(z.string()) })
  expect(schema.safeParse({ a: undefined }).success).toBe(false)
  expect(quickParse(schema, { a: undefined })).toBe(unsure)
})

test('an optional part that is there without a value stays so, and is not left to zod', () => {
  const value = { ...fitting, kind: undefined, strict: undefined }
  expect(quickParse(ways, value)).toStrictEqual(ways.parse(value))
  expect(Object.keys(ways.parse(value))).toContain('kind')
  const turned = Object.fromEntries(Object.entries(value).reverse())
  expect(JSON.stringify(quickParse(ways, turned))).toBe(JSON.stringify(ways.parse(turned)))
  expect(quickParse(ways, turned)).toStrictEqual(ways.parse(turned))
})

test('what a value has from a prototype of its own becomes its own, as with zod', () => {
  const schema = z.looseObject({ name: z.string() })
  const value: unknown = Object.assign(Object.create({ inherited: 1 }), { name: 'x' })
  expect(quickParse(schema, value)).toStrictEqual({ name: 'x', inherited: 1 })
  expect(schema.parse(value)).toStrictEqual({ name: 'x', inherited: 1 })
})
