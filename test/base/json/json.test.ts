/** A syntax error names its place and what to do there; values are checked with a schema at the door: what is kept, what is left out, and what an error says. */
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { canonicalJson, checkAs, parseJson } from '../../../src/base/json/json.ts'

const item = z.object({ name: z.string(), size: z.number().optional() })

describe('keys that a schema does not name', () => {
  test('are left out of a plain object', () => {
    expect(checkAs(item, { other: 1, name: 'a' }, 'x.json')).toStrictEqual({ name: 'a' })
  })
  test('are kept by a loose one, after its own', () => {
    const loose = z.looseObject({ name: z.string() })
    expect(JSON.stringify(checkAs(loose, { other: 1, name: 'a' }, 'x.json'))).toBe('{"name":"a","other":1}')
  })
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

test('a value is left as it was', () => {
  const value = { list: [{ name: 'a', other: 1 }] }
  checkAs(z.object({ list: z.array(item) }), value, 'x.json')
  expect(value).toEqual({ list: [{ name: 'a', other: 1 }] })
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
