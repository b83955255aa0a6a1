/** What a case is judged by: criteria lists of many names and shapes, expected output. */
import { describe, expect, test } from 'vitest'
import { judged } from './folder.ts'

describe('names of the list', () => {
  test.each(['expected_behavior', 'expectedBehavior', 'criteria', 'success_criteria', 'rubric'])('%s', async (key) => {
    const { texts, warnings } = await judged({ [key]: ['a', 'b'] })
    expect(texts).toEqual(['a', 'b'])
    expect(warnings).toEqual([`$.evals[0].${key}: "${key}" is read as "expectations"`])
  })
  test('one text instead of a list', async () => {
    const { texts, warnings } = await judged({ expectations: 'Adds up.' })
    expect(texts).toEqual(['Adds up.'])
    expect(warnings).toEqual(['$.evals[0].expectations: text, not a list; it is read as one criterion'])
  })
  test('a boolean is skipped', async () => {
    const { texts, warnings } = await judged({ expected_behavior: false, expectations: ['a'] })
    expect(texts).toEqual(['a'])
    expect(warnings).toContainEqual('$.evals[0].expected_behavior: a boolean, not a criterion; it is skipped')
  })
  test.each<[string, unknown]>([
    ['expectations', 3],
    ['expectations', ['a', 3]],
    ['assertions', 1],
  ])('%s: %j keeps the case from running: what it was written for would be lost', async (key, value) => {
    const read = await judged({ [key]: value, checks: [{ type: 'contains', value: 'x' }] })
    expect(read.case.cannot_run).toMatch(new RegExp(`^"${key}" holds .*, not a statement$`))
  })
  test('null and empty items are skipped', async () => {
    const { texts, warnings } = await judged({ expectations: [null, 'a', ' '] })
    expect(texts).toEqual(['a'])
    expect(warnings.map((one) => one.replace(/:.*/, ''))).toEqual([
      '$.evals[0].expectations[0]',
      '$.evals[0].expectations[2]',
    ])
  })
  test.each(['execution', 'evaluation', 'grading', 'expected'])('in an object "%s"', async (key) => {
    const read = await judged({ [key]: { expected_output: 'o', assertions: ['a'] } })
    expect(read.texts).toEqual(['a'])
    expect(read.case.expected_output).toBe('o')
    expect(read.warnings).toEqual([`$.evals[0].${key}: what judges the case is read from "${key}"`])
  })
  test('such an object is not read where the case has criteria of its own', async () => {
    const { texts, warnings } = await judged({ execution: { assertions: ['a'] }, expectations: ['b'] })
    expect(texts).toEqual(['b'])
    expect(warnings).toEqual(['$.evals[0].execution: "execution" of a case is not read'])
  })
})

describe('where the statement of an object is', () => {
  test.each<[object, string]>([
    [{ text: 't', description: 'd', name: 'n' }, 't'],
    [{ description: 'd', assertion: 'a', name: 'n' }, 'd'],
    [{ assertion: 'a', criterion: 'c' }, 'a'],
    [{ name: 'n', tags: ['x'] }, 'n'],
    [{ name: 'no_dash', check: 'dashes == 0' }, 'no_dash: dashes == 0'],
    [{ name: 'n', type: 'task_done', value: 'recall' }, 'n: recall'],
    [{ check: 'c', pass_if: 'p' }, 'c'],
    [{ type: 'pattern_hits', pattern: 'x+' }, 'pattern_hits: x+'],
    [{ text: ' ', description: 'd' }, 'd'],
    [{ check: { a: 1 }, value: 'v' }, 'v'],
    [{ type: 'task_completed', value: true }, 'The outcome meets {"type":"task_completed","value":true}'],
  ])('%j', async (item, text) => {
    const read = await judged({ assertions: [item] })
    expect(read.texts).toEqual([text])
    expect(read.case.checks).toEqual([])
    expect(read.warnings[0]).toMatch(/^\$\.evals\[0\]\.assertions\[0\]: an object/)
  })
  test.each<[object, string]>([
    [{ text: null }, ''],
    [{ weight: 2 }, ''],
    [{ type: 'contains', value: '' }, ' of type "contains"'],
    [{ type: 'llm-rubric' }, ' of type "llm-rubric"'],
  ])('%j states nothing, so the case cannot run', async (item, type) => {
    const read = await judged({ assertions: [item, 'a'] })
    expect(read.texts).toEqual(['a'])
    expect(read.case.cannot_run).toBe(
      `$.evals[0].assertions[0]${type} states nothing: add what it asks for, such as "value"`,
    )
  })
  test.each([true, false])('indicator: %s is ours and stays', async (indicator) => {
    const read = await judged({ expectations: [{ text: 't', indicator }] })
    expect(read.case.expectations).toEqual([{ text: 't', indicator }])
    expect(read.warnings).toEqual([])
  })
  test.each<[object, string]>([
    [{ text: 't', indicator: 'yes' }, 'text'],
    [{ type: 'contains', value: 'v', indicator: 'yes' }, 'text'],
  ])('%j: an indicator that is neither true nor false keeps the case from running', async (item, kind) => {
    const { case: one } = await judged({ expectations: [item] })
    expect(one.cannot_run).toBe(`"indicator" holds ${kind}, not true or false`)
  })
  test.each<[unknown, string]>([
    [0, '0'],
    [-2, '-2'],
    ['high', 'text'],
  ])('a weight of %j keeps the case from running', async (weight, kind) => {
    for (const item of [
      { text: 't', weight },
      { type: 'contains', value: 'v', weight },
    ]) {
      const { case: one } = await judged({ expectations: [item] })
      expect(one.cannot_run).toBe(`"weight" holds ${kind}, not a number above 0`)
    }
  })
  test('an indicator of null is none', async () => {
    const { case: one } = await judged({ expectations: [{ text: 't', indicator: null }] })
    expect([one.cannot_run, one.expectations]).toEqual([null, [{ text: 't' }]])
  })
})

describe('what is said twice counts once', () => {
  test.each<[string, object, string[]]>([
    ['in both lists', { expectations: ['a', 'b'], assertions: ['a', 'b'] }, ['a', 'b']],
    ['but for case, space and full stop', { expectations: ['Adds up'], assertions: [' adds  UP. '] }, ['Adds up']],
    ['as text and as object', { expectations: ['Adds up'], assertions: [{ description: 'adds up' }] }, ['Adds up']],
    ['in one list', { expectations: ['a', 'a'] }, ['a']],
    ['what differs stays', { expectations: ['a'], assertions: ['b'] }, ['a', 'b']],
    ['not so in code', { expectations: ['Has `A.md`', 'has `a.md`', 'HAS `a.md`.'] }, ['Has `A.md`', 'has `a.md`']],
  ])('%s', async (_, part, texts) => {
    expect((await judged(part)).texts).toEqual(texts)
  })
})

describe('expected_output', () => {
  const derived = { text: 'The outcome matches the expected output: 42', derived: true }
  test.each<[string, object, object[]]>([
    ['alone: one derived expectation', { expected_output: '42' }, [derived]],
    ['with an empty list', { expected_output: '42', expectations: [] }, [derived]],
    ['under another name', { expected: '42' }, [derived]],
    ['with a list: the list only', { expected_output: '42', expectations: ['a'] }, [{ text: 'a' }]],
    ['with checks: the checks only', { expected_output: '42', checks: [{ type: 'contains', value: '42' }] }, []],
    ['not there: ungraded', {}, []],
  ])('%s', async (_, part, expectations) => {
    expect((await judged(part)).case.expectations).toEqual(expectations)
  })
  test('stays for the judge', async () => {
    expect((await judged({ expected_output: '42', expectations: ['a'] })).case.expected_output).toBe('42')
  })
  test.each<[object, string]>([
    [{ expected_output: '42' }, '$.evals[0]: no criteria; one expectation is derived from expected_output'],
    [{}, '$.evals[0]: no criteria and no expected_output'],
    [{ expected: '4', expectations: ['a'] }, '$.evals[0].expected: "expected" is read as "expected_output"'],
    [
      { expected_output: [1], expectations: ['a'] },
      '$.evals[0].expected_output: a list, not text; the judge gets it as JSON',
    ],
  ])('%j warns', async (part, warning) => {
    expect((await judged(part)).warnings).toEqual([warning])
  })
})
