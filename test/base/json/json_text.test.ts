/** JSON that is printed and written reads back as it was, and holds no character that acts on a terminal. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { jsonText } from '../../../src/base/json/json_text.ts'
import { nextLine } from '../../../src/store/artefacts/line_file.ts'
import { writeArtefact } from '../../../src/store/store.ts'

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
