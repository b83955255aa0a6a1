/** YAML that others wrote: values as JSON has them and as they are written, places, and bounds that a hostile file meets. */
import { describe, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { readYaml, yamlFix } from '../../../src/base/text/yaml.ts'

const textsOf = (text: string) => {
  const yaml = readYaml(text)
  return yaml.ok ? yaml.texts : yaml.message
}

describe('scalars as they are written', () => {
  test.each([
    ['numbers, truths, dates and nulls', 'a: 1.0\nb: yes\nc: ~\nd: 0x1F\ne: 2026-01-01\nf: 1e3\ng: no\n'],
    ['quoted and folded', "a: \"x\\ny\"\nb: 'it''s'\nc: >\n  folded\n  text\nd: |\n  lit\n  two\n"],
    ['aliases', 'a: &x [1.0, 2]\nb: *x\nc: &y { q: 1.50 }\nd: *y\n'],
    ['tags', 'a: !!str 1\nb: !!int "3"\nc: !own bar\n'],
    ['keys that are names of the language', '__proto__: 1.0\nconstructor: 2\n'],
    ['JSON', '{"a": 1e3, "b": [true, null, "é"]}'],
    ['nothing at all', ''],
    ['nothing behind a key', 'a:\n? q\n'],
  ])('%s: as YAML without any types has them', (_, text) => {
    expect(textsOf(text)).toEqual(parseDocument(text, { schema: 'failsafe' }).toJS())
  })
  test('values beside them are those of JSON', () => {
    expect(readYaml('a: 1.0\nb: yes\nc: 2026-01-01')).toMatchObject({ value: { a: 1, b: 'yes', c: '2026-01-01' } })
  })
})

const bomb = (levels: number) =>
  ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    .concat(Array.from({ length: levels }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]`))
    .join('\n')
const deep = (levels: number) => `a: ${'['.repeat(levels)}${']'.repeat(levels)}`
const long = (characters: number) => `a: ${'x'.repeat(characters - 3)}`

test('merge keys are applied: own keys win, then the first of several; text in quotes is no merge key', () => {
  const text = 'a: &a {x: 1, y: 2.0}\nb: {y: 3, <<: [{q: 1.0, y: 9}, *a]}\nc: {"<<": 1}\n'
  expect(readYaml(text)).toMatchObject({
    value: { b: { y: 3, q: 1, x: 1 }, c: { '<<': 1 } },
    texts: { b: { y: '3', q: '1.0', x: '1' }, c: { '<<': '1' } },
  })
})

const merges = (levels: number) =>
  ['a0: &a0 {x: 1}']
    .concat(Array.from({ length: levels }, (_, n) => `a${n + 1}: &a${n + 1} {<<: [*a${n}, *a${n}]}`))
    .join('\n')

describe('bounds, each with what is just inside', () => {
  test.each<[string, string, string, RegExp]>([
    ['aliases of aliases', bomb(1), bomb(9), /alias/i],
    ['merges of merges', merges(2), merges(40), /alias/i],
    ['a tree without end', deep(50), deep(100_000), /nested too deeply/],
    ['brackets that never close', '[1]', '['.repeat(1_000_000), /nested too deeply/],
    ['lists in lists', '- - x', `${'- '.repeat(500_000)}x`, /nested too deeply/],
    ['keys in keys', '? a\n: b', `${'? '.repeat(40)}x`, /a key must be text/],
    ['an alias that is a key', 'a: &k text\n*k : v', 'a: &k [1]\n*k : v', /key must be text|must be/],
    ['an anchor that contains itself', 'a: &r [1]\nb: *r', 'a: &r [*r]', /contains itself/],
    ['length', long(1024 * 1024), long(1024 * 1024 + 1), /longer than/],
  ])('%s', (_, fits, tooMuch, message) => {
    expect(readYaml(fits)).toMatchObject({ ok: true })
    const before = process.memoryUsage().heapUsed
    expect(readYaml(tooMuch)).toMatchObject({ ok: false, message: expect.stringMatching(message) })
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(400 * 2 ** 20)
  })
  test('control: without the bound the same aliases unfold to a million items', () => {
    const document = parseDocument(bomb(5))
    const { a5 } = document.toJS({ maxAliasCount: -1 })
    expect(a5.flat(6)).toHaveLength(9 ** 6)
    expect(readYaml(bomb(5))).toMatchObject({ ok: false })
  })
})

test.each([
  ['runs: [\n', 'close the bracket, or quote the value'],
  ['runs: {a\n', 'close the bracket, or quote the value'],
  ['a: "b\n', 'close the quote'],
  ['a: b: c\n', 'quote values that contain ": ", and write each key: value on its own line'],
  ['a: 1\n\tb: 2\n', 'indent with spaces'],
  ['a: 1\na: 2\n', 'remove one of the lines with this key'],
  ['a: @x\n', 'quote the value'],
  ['a:\n  - b\n c: 3\n', 'give keys of one level the same indent, or quote values that contain ": "'],
  ['% x\n', 'fix the syntax there, or quote the value'],
])('invalid YAML comes with a fix: %j: %s', (text, fix) => {
  const yaml = readYaml(text)
  expect(yaml.ok ? null : yamlFix(yaml.message)).toBe(fix)
})
