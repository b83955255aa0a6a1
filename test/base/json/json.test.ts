/** JSON that is read: the place of a mistake, schemas at the door, values nested without end. JSON that is written reads back as it was, and acts on no terminal. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { canonicalJson, checkAs, parseJson, tryParseJson } from '../../../src/base/json/json.ts'
import { jsonText } from '../../../src/base/json/json_text.ts'
import { getRedactor } from '../../../src/base/secrets/redact.ts'
import { toJsonValue } from '../../../src/engines/cli/json_line.ts'
import { nextLine } from '../../../src/store/artefacts/line_file.ts'
import { writeArtefact } from '../../../src/store/store.ts'

const item = z.object({ name: z.string(), size: z.number().optional() })

describe('keys that a schema does not name', () => {
  test('are refused by a strict one', () => {
    const strict = z.strictObject({ name: z.string() })
    expect(() => checkAs(strict, { other: 1, name: 'a' }, 'x.json')).toThrow('x.json: $: Unrecognized key: "other"')
  })
  test('never become a prototype', () => {
    const value: unknown = JSON.parse('{ "name": "a", "__proto__": { "admin": true } }')
    const checked = checkAs(z.looseObject({ name: z.string() }), value, 'x.json')
    expect(Reflect.get(checked, 'admin')).toBeUndefined()
  })
})

describe('errors', () => {
  test('name the file, the field and what is wrong with it', () => {
    expect(() => checkAs(z.object({ list: z.array(item) }), { list: [{ name: 'a' }, { name: 1 }] }, 'x.json')).toThrow(
      'x.json: $.list[1].name: Invalid input: expected string, received number',
    )
  })
  test('name five mistakes, and how many more there are', () => {
    const check = () => checkAs(z.array(z.string()), [1, 2, 3, 4, 5, 6, 7], 'x.json')
    expect(check).toThrow(/^x\.json: (?:\$\[[0-4]\]: [^;]+(?:; )?){5} \(and 2 more\)$/)
  })
})

test('canonical JSON sorts keys as texts, at every depth, and leaves out what is undefined', () => {
  const value = { b: [undefined, { z: 1, a: null }], 9: 1, a: undefined, 10: new Date(0) }
  expect(canonicalJson(value)).toBe('{"10":"1970-01-01T00:00:00.000Z","9":1,"b":[null,{"a":null,"z":1}]}')
  expect(canonicalJson(undefined)).toBe('null')
})

test.each([
  ['{"a": 1,}', '1:9', 'remove the comma before "}"'],
  ['[1,\n]', '2:1', 'remove the comma before "]"'],
  ['[1,,2]', '1:4', 'remove one of the two commas'],
  ["{'a': 1}", '1:2', 'use double quotes instead of single quotes'],
  ['{\n  // a\n  "a": 1}', '2:3', 'remove the comment: JSON has no comments'],
  ['{"a" 1}', '1:6', 'add a colon after the name'],
  ['{"a": 1 "b": 2}', '1:9', 'add a comma there, or close the bracket'],
  ['{a: 1}', '1:2', 'put the name in double quotes'],
  ['{"a": "x\ny"}', '1:9', 'write \\n instead of a line break, \\t instead of a tab'],
  ['{"a": "\\q"}', '1:9', 'write \\\\ for a backslash'],
  ['{"a": "b}', '1:10', 'close the quote'],
  ['{"a": 1}}', '1:9', 'remove the text after the end of the value'],
  ['{"a": [', '1:8', 'add what is missing at the end, such as a closing bracket'],
  ['{"a": yes}', '1:7', 'put text in double quotes; without them only true, false, null and numbers are valid'],
  ['<html>', '1:1', 'remove or replace "<" there'],
  ['', '1:1', 'write a JSON value there, such as {}'],
])('invalid JSON %j at %s: %s', (text, place, fix) => {
  const message = expect.stringMatching(`^a.json:${place}: `)
  expect(() => parseJson(text, 'a.json')).toThrow(expect.objectContaining({ message, fix }))
})

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const inObjects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

describe.each([
  ['nested lists', nested],
  ['nested objects', inObjects],
])('%s', (_what, text) => {
  test.each([201, 2000, 100_000])('%i levels are too many', (levels) => {
    expect(() => parseJson(text(levels), 'x.json')).toThrow('x.json: nested deeper than 200 levels')
    expect(tryParseJson(text(levels))).toBeUndefined()
    expect(toJsonValue(JSON.parse(text(levels)))).toBe('(nested deeper than 200 levels)')
  })
  test('200 are not', () => {
    const value = JSON.parse(text(200))
    expect([parseJson(text(200), 'x.json'), tryParseJson(text(200)), toJsonValue(value)]).toEqual([value, value, value])
  })
})

test('many brackets side by side, or in a text, are no depth', () => {
  const value = [Array.from({ length: 5000 }, () => [{}]), nested(5000)]
  expect(parseJson(JSON.stringify(value), 'x.json')).toEqual(value)
})

test('what lies too deep to be looked through for keys is left out', () => {
  const clean = getRedactor({}).value(JSON.parse(`[${nested(20_000)}, "kept"]`))
  expect(JSON.stringify(clean)).toMatch(/\[redacted:what is nested too deep\].*"kept"/)
})

const acting = /(?!\n)\p{Cc}|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u
const hostile = '\u009b31m\u007f\u0085\u061c\u200e\u200f\u202e\u2069 \u{1f600}\ud800 \\u202e'

const letter = fc.oneof(
  fc.constantFrom(...hostile),
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
)
const text = fc.string({ unit: letter })
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0), // JSON has no -0
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json')),
    fc.dictionary(text, tie('json'), { noNullPrototype: true }),
  ),
}))

test.each([undefined, 2])('parsing what is printed gives the same value (indent %j)', (indent) => {
  fc.assert(
    fc.property(json, (value) => {
      const printed = jsonText(value, indent)
      expect(JSON.parse(printed)).toEqual(value)
      expect(printed).not.toMatch(acting)
    }),
    { numRuns: 300 },
  )
})

test('each writer of the store goes through it', async () => {
  const value = { text: hostile, [hostile]: [hostile] }
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'json-')), 'a.json')
  await writeArtefact(z.looseObject({}), file, value)
  for (const written of [readFileSync(file, 'utf8'), nextLine(file, value)]) expect(written).not.toMatch(acting)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(value)
})

test.each(['cli', 'store'])('nothing in src/%s writes what JSON.stringify gives', (name) => {
  const folder = path.join(import.meta.dirname, '../../../src', name)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const others = files.filter((file) => readFileSync(path.join(folder, file), 'utf8').includes('JSON.stringify('))
  expect(others).toEqual([])
})
