/** Checks of texts and data: equals, similarity, json_schema, csv. */
import { describe, expect, test } from 'vitest'
import { check as checkSchema } from '../../../schemas/check.ts'
import { decideCheck } from '../../../src/phases/3-judge/checks/decide_check.ts'
import type { CheckContext } from '../../../src/phases/3-judge/checks/inputs/check_input.ts'
import { measureLikeness } from '../../../src/phases/3-judge/checks/similarity.ts'
import { failed, passed, sceneWith, undecided, unreadable } from './scene.ts'

const files = {
  'total.txt': '  The total\r\nis 42. \n',
  'n.txt': '42.50\n',
  'data.json': '{"items":[{"name":"a","total":42},{"name":"b","total":null}]}',
  'broken.json': '{"items": [',
  't.csv': '\uFEFFregion,total,note\nOcean,1088.850,"a, b"\nDesert,7,\nOcean,1088.85,"line\nbreak"\n',
  'semi.csv': 'region;total\nOcean;42\n',
  'ragged.csv': 'a,b\n1,2,3\n',
  'empty.csv': '',
  'head.csv': 'a,b\n',
}
const big = { path: 'huge.csv', reason: 'larger than 20 MiB (30000000 bytes)' }
const decide = async (check: object, changes: Partial<CheckContext> = {}) =>
  decideCheck(checkSchema.parse(check), await sceneWith(files, changes))
const answer = (finalResponse: string) => ({ finalResponse })

describe('equals', () => {
  const rows: [object, object, object][] = [
    [{ value: '42' }, answer('42\n'), passed('final answer: "42"')],
    [{ value: '42' }, answer('The total is 42'), failed('final answer: "The total is 42", not "42"')],
    [{ value: 'the TOTAL\nis 42.', path: 'total.txt' }, {}, failed('not "the TOTAL')],
    [{ value: 'the TOTAL\nis 42.', path: 'total.txt', ignore_case: true }, {}, passed('total.txt')],
    [{ value: 'é' }, answer('e\u0301'), passed('final answer')],
    [{ value: 42.4, path: 'n.txt', tolerance: 0.1 }, {}, passed('n.txt')],
    [{ value: 0.3, tolerance: 0.1 }, answer('0.4'), passed('0.4')],
    [{ value: 0 }, answer(''), failed('is not a number')],
    [{ value: 42 }, answer('```\n42\n```'), passed('42')],
    [{ value: { a: [1, null] } }, answer('```json\n{"a": [1, null]}\n```'), passed('{"a":[1,null]}')],
    [{ value: { a: 1 } }, answer('{"a":1,"b":2}'), failed('{"a":1,"b":2}, not {"a":1}')],
    [{ value: true }, answer('yes'), failed('not valid JSON')],
    [{ value: 'x', path: 'none.txt' }, {}, failed('No output file none.txt')],
    [{ value: 'x', path: 'huge.csv' }, { leftOut: [big] }, unreadable('was not collected')],
  ]
  test.each(rows)('%j %j', async (check, changes, verdict) => {
    expect(await decide({ type: 'equals', ...check }, changes)).toEqual(verdict)
  })
})

describe('json_schema', () => {
  const total = { type: 'object', properties: { total: { type: ['number', 'null'] } }, required: ['total'] }
  const schema = { type: 'object', properties: { items: { type: 'array', items: total } }, additionalProperties: false }
  const data = { path: 'data.json' }
  const rows: [object, object, object][] = [
    [{ ...data, schema }, {}, passed('data.json matches the schema')],
    [{ schema }, answer('{"items":[{"total":"x"}]}'), failed('/items/0/total must be number,null')],
    [{ schema }, answer('{"items":[],"more":1}'), failed('/ must NOT have additional properties (more)')],
    [{ schema: false }, answer('1'), failed('boolean schema is false')],
    [{ schema: { type: 'string', format: 'date' } }, answer('"2026-02-30"'), failed('must match format "date"')],
    [{ schema: { prefixItems: [{ type: 'number' }] } }, answer('["a"]'), failed('/0 must be number')],
    [
      { schema: { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'number' }] } },
      answer('["a"]'),
      failed('/0 must be number'),
    ],
    [
      { schema: { $schema: 'https://json-schema.org/draft/2019-09/schema', dependentRequired: { a: ['b'] } } },
      answer('{"a":1}'),
      failed('must have property b'),
    ],
    [{ path: 'broken.json', schema }, {}, failed('not valid JSON')],
    [{ schema: { type: 'nmber' } }, answer('1'), undecided('could not be evaluated')],
    [{ schema: { $schema: 'https://json-schema.org/draft-04/schema#' } }, answer('1'), undecided('unknown')],
    [{ file: 'evals/s.json' }, answer('1'), undecided('could not be read')],
  ]
  test.each(rows)('%j %j', async (check, changes, verdict) => {
    expect(await decide({ type: 'json_schema', ...check }, changes)).toEqual(verdict)
  })
  test('a pattern that backtracks for ever ends; one that RE2 lacks still decides', async () => {
    const schema = { additionalProperties: false, patternProperties: { '^(a+)+$': { pattern: '^(b+)+$' } } }
    const object = (key: string, value: string) => answer(JSON.stringify({ [key]: value }))
    const long = (letter: string) => `${letter.repeat(40)}!`
    const decideOn = (changes: object) => decide({ type: 'json_schema', schema }, changes)
    expect(await decideOn(object('aa', 'bb'))).toEqual(passed('matches the schema'))
    expect(await decideOn(object('aa', long('b')))).toEqual(failed('must match pattern'))
    expect(await decideOn(object(long('a'), 'b'))).toEqual(failed('must NOT have additional properties'))
    const others = { allOf: [{ pattern: '^(?!c)' }, { pattern: '^.{2,2000}$' }, { pattern: '^a' }] }
    expect(await decide({ type: 'json_schema', schema: others }, answer('"ab"'))).toEqual(passed('matches'))
    expect(await decide({ type: 'json_schema', schema: others }, answer('"cb"'))).toEqual(failed('(?!c)'))
    expect(await decide({ type: 'json_schema', schema: others }, answer('"bb"'))).toEqual(failed('"^a"'))
  })
  test('an asynchronous schema is never a pass', async () => {
    const check = { type: 'json_schema', schema: { $async: true, type: 'number' } }
    expect(await decide(check, answer('"text"'))).not.toMatchObject({ passed: true })
  })
})

describe('csv', () => {
  const t = { path: 't.csv' }
  const rows: [object, object, object][] = [
    [{ ...t, columns: ['total', 'region'] }, {}, passed('t.csv: 3 rows; columns: region, total, note')],
    [{ ...t, columns: ['Total'] }, {}, failed('no column Total; its first line has region, total, note')],
    [{ ...t, rows: { min: 4 } }, {}, failed('3 rows, not at least 4')],
    [{ ...t, cells: [{ where: { region: 'Ocean' }, column: 'total', equals: 1088.85 }] }, {}, passed('3 rows')],
    [
      { ...t, cells: [{ where: { region: 'Ocean' }, column: 'total', equals: '1088.85' }] },
      {},
      failed('one of 2 rows with region "Ocean" has total "1088.850", not "1088.85"'),
    ],
    [
      { ...t, cells: [{ where: { region: 'Forest' }, column: 'total', equals: 1 }] },
      {},
      failed('no row with region "Forest"'),
    ],
    [{ ...t, cells: [{ where: { total: 7 }, column: 'region', equals: 'Desert' }] }, {}, passed('3 rows')],
    [{ ...t, cells: [{ column: 'total', equals: 1088.85 }] }, {}, failed('has total "7", not 1088.85')],
    [
      { ...t, cells: [{ column: 'total', equals: 7 }] },
      {},
      { passed: false, evidence: 't.csv: one of 3 rows has total "1088.850", not 7' },
    ],
    [{ ...t, cells: [{ column: 'sum', equals: 1 }] }, {}, failed('no column sum')],
    [{ path: 'semi.csv', delimiter: ';', columns: ['total'] }, {}, passed('1 row')],
    [{ path: 'ragged.csv', rows: { min: 1 } }, {}, failed('ragged.csv is not valid CSV: Invalid Record Length')],
    [{ path: 'empty.csv', rows: { equals: 0 }, columns: ['a'] }, {}, failed('no column a; its first line has nothing')],
    [{ path: 'head.csv', rows: { equals: 0 } }, {}, passed('0 rows')],
    [{ path: 'head.csv', cells: [{ column: 'a', equals: 1 }] }, {}, failed('no row')],
    [{ columns: ['a'] }, answer('Here:\n```csv\na,b\n1,2\n```\n'), passed('final answer: 1 row')],
  ]
  test.each(rows)('%j %j', async (check, changes, verdict) => {
    expect(await decide({ type: 'csv', ...check }, changes)).toEqual(verdict)
  })
  test('one of 20 MB is read', async () => {
    const finalResponse = `a,b\n${`${'x'.repeat(98)},1\n`.repeat(200_000)}`
    const end = await decide(
      { type: 'csv', rows: { equals: 200_000 }, cells: [{ column: 'b', equals: 1 }] },
      { finalResponse },
    )
    // a slow machine may say that it took too long; it never says that the file is wrong
    expect([passed('200000 rows'), unreadable('longer than 5 s')]).toContainEqual(end)
  })
})

describe('similarity', () => {
  const rows: [object, object, object][] = [
    [
      { value: 'the cat sat', at_least: 1 },
      answer('the cat, sat!'),
      passed('final answer: similarity to the reference 1 (words)'),
    ],
    [
      { value: 'the cat sat', at_least: 0.7 },
      answer('the cat ran'),
      failed('reference 0.666 (words), not at least 0.7'),
    ],
    [
      { value: 'The total\nis 42.', at_least: 1, path: 'total.txt', algorithm: 'levenshtein' },
      {},
      passed('total.txt: similarity to the reference 1 (levenshtein)'),
    ],
    [{ value: 'x', at_least: 0.1, algorithm: 'levenshtein' }, answer(''), failed('reference 0 (')],
    [{ file: 'evals/ref.txt', at_least: 0.1 }, answer('x'), undecided('could not be read')],
    [
      { value: 'x'.repeat(9000), at_least: 0.1, algorithm: 'levenshtein' },
      answer('y'.repeat(9000)),
      undecided('too long'),
    ],
    [{ value: 'a', at_least: 0.1 }, answer('a '.repeat(2_000_001)), unreadable('longer than 4000000 characters')],
  ]
  test.each(rows)('%# %j', async (check, changes, verdict) => {
    expect(await decide({ type: 'similarity', ...check }, changes)).toEqual(verdict)
  })
  test.each([
    ['rouge_l', 'a b c', 'c b a', 1 / 3],
    ['rouge_l', 'police killed the gunman', 'police kill the gunman', 0.75],
    ['words', 'a a a', 'a', 0.5],
    ['levenshtein', 'kitten', 'sitting', 1 - 3 / 7],
    ['levenshtein', 'a  b', 'a\nb', 1],
    ['words', '', '', 1],
    ['words', '', 'a', 0],
    ['words', '総計 42', '総計 42', 1],
  ] as const)('%s of %j and %j', (algorithm, one, other, share) => {
    expect(measureLikeness(algorithm, one, other)).toEqual({ share: expect.closeTo(share, 12) })
    expect(measureLikeness(algorithm, other, one)).toEqual({ share: expect.closeTo(share, 12) })
  })
})
