/** What a case is judged by: criteria lists of many names and shapes, foreign checks, expected output. */
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
  test('an empty object is skipped', async () => {
    const { texts, warnings } = await judged({ assertions: [{ text: null }, 'a'] })
    expect(texts).toEqual(['a'])
    expect(warnings).toEqual(['$.evals[0].assertions[0]: an object without a value; it is skipped'])
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
  test('a check wins over the same statement for a judge', async () => {
    const check = { text: 'Says 42', type: 'contains', value: '42' }
    const read = await judged({ expectations: ['says 42.'], assertions: [check] })
    expect([read.case.expectations, read.case.checks]).toEqual([[], [check]])
  })
  test('checks that are called alike and look for different things all stay', async () => {
    const text = 'The report is complete'
    const assertions = [
      { type: 'contains', value: '# Report', text },
      { type: 'contains', value: 'Total: 42', text },
      { type: 'not_contains', value: 'TODO', text },
      { type: 'contains', value: 'Total: 42', text: 'the report is complete.' },
    ]
    const read = await judged({ assertions, expectations: [text] })
    expect([read.case.expectations, read.case.checks]).toEqual([[], assertions.slice(0, 3)])
    expect(read.warnings.at(-1)).toMatch(/it counts once \(here and at 1 more\)$/)
  })
})

describe('foreign checks', () => {
  test.each<{ item: object; check: object }>([
    { item: { type: 'contains', value: 'x' }, check: { type: 'contains', value: 'x' } },
    { item: { type: 'output-contains', value: 'x', name: 'n' }, check: { type: 'contains', value: 'x', text: 'n' } },
    { item: { type: 'not_contains', value: 'x', text: 't' }, check: { type: 'not_contains', value: 'x', text: 't' } },
    { item: { type: 'regex', pattern: 'a+' }, check: { type: 'regex', pattern: 'a+' } },
    { item: { type: 'regex', pattern: '(?i)a+' }, check: { type: 'regex', pattern: 'a+', flags: 'i' } },
    { item: { type: 'file-exists', path: './out/a.csv' }, check: { type: 'file_exists', path: 'out/a.csv' } },
    { item: { type: 'contains', value: 'x', file: 'a.txt' }, check: { type: 'contains', value: 'x', path: 'a.txt' } },
    {
      item: { type: 'contains', value: 'x', case_sensitive: false, target: 'output' },
      check: { type: 'contains', value: 'x', ignore_case: true },
    },
    { item: { type: 'icontains', value: 'x' }, check: { type: 'contains', value: 'x', ignore_case: true } },
    { item: { type: 'contains-any', value: ['a.b', 'c'] }, check: { type: 'regex', pattern: 'a\\.b|c' } },
    {
      item: { type: 'icontains-all', value: ['a', 'b'] },
      check: { type: 'regex', pattern: '^(?=[\\s\\S]*a)(?=[\\s\\S]*b)', flags: 'i' },
    },
    { item: { type: 'starts-with', value: '# T' }, check: { type: 'regex', pattern: '^# T' } },
    { item: { type: 'ends_with', value: 'z?' }, check: { type: 'regex', pattern: 'z\\?$' } },
    {
      item: { type: 'regex', pattern: 'a', flags: 'gi', target: 'outputs' },
      check: { type: 'regex', pattern: 'a', flags: 'i', target: 'outputs' },
    },
    {
      item: { type: 'regex_absent', pattern: '^a', flags: 'm' },
      check: { type: 'regex', pattern: '^a', flags: 'm', absent: true },
    },
    { item: { type: 'exact_match', expected: { a: 1 } }, check: { type: 'equals', value: { a: 1 } } },
    { item: { type: 'file_not_exists', file: 'a.tmp' }, check: { type: 'file_absent', path: 'a.tmp' } },
    {
      item: { type: 'file_not_contains', path: 'a.md', value: 'x' },
      check: { type: 'not_contains', value: 'x', path: 'a.md' },
    },
    {
      item: { type: 'jsonpath', path: '$.a', expected: null, value: 3 },
      check: { type: 'json_path', query: '$.a', equals: 3 },
    },
    {
      item: { type: 'tool_called', value: 'Bash', indicator: true },
      check: { type: 'tool_used', name: 'Bash', indicator: true },
    },
    { item: { type: 'latency', threshold: 5000 }, check: { type: 'duration_at_most', value: 5 } },
  ])('$item is a check', async ({ item, check }) => {
    const read = await judged({ assertions: [item] })
    expect([read.case.checks, read.texts]).toEqual([[check], []])
    expect(read.warnings).toEqual([expect.stringContaining('is read as a check of type')])
  })
  test.each<[object, string]>([
    [{ type: 'contains', text: 'Names the hero' }, 'Names the hero'],
    [{ type: 'contains', value: 'x', file: '../a.txt', text: 't' }, 't'],
    [{ type: 'contains', value: 'x', count: 2, text: 't' }, 't'],
    [{ type: 'contains', value: 'x', target: 'screenshot', text: 't' }, 't'],
    [{ type: 'contains_any', value: ['x', 3], text: 't' }, 't'],
    [{ type: 'starts_with', value: 'x', case_sensitive: false, text: 't' }, 't'],
    [{ type: 'file_contains', value: 'x', text: 't' }, 't'],
    [{ type: 'file_absent', path: 'node_modules/a', text: 't' }, 't'],
    [{ type: 'json_path', path: 'items.0', value: 1, text: 't' }, 't'],
    [{ type: 'tool_called', value: 'recall', text: 't' }, 't'],
    [{ type: 'cost', threshold: '1', text: 't' }, 't'],
    [{ type: 'regex', pattern: 'a', flags: 'y', text: 't' }, 't'],
    [{ type: 'contains', value: ['x', 'y'], text: 't' }, 't'],
    [{ type: 'regex', pattern: 'a(', text: 't' }, 't'],
    [{ type: 'file_exists', path: '../a', text: 't' }, 't'],
  ])('%j is not certain: a judge decides', async (item, text) => {
    const read = await judged({ assertions: [item] })
    expect([read.texts, read.case.checks]).toEqual([[text], []])
    expect(read.warnings[0]).toContain('is not certain')
  })
  test('a weight is read, `required` is named as not read', async () => {
    const { case: one, warnings } = await judged({
      assertions: [{ type: 'contains', value: 'x', weight: 2, required: true }],
    })
    expect(one.checks).toMatchObject([{ type: 'contains', weight: 2 }])
    expect(warnings).toContainEqual(expect.stringContaining('"required" of a criterion is not read'))
    expect(warnings).not.toContainEqual(expect.stringContaining('"weight" of a criterion is not read'))
  })
  test.each<[object, string[], string]>([
    [{ type: 'javascript', value: 'output.length' }, [], 'harness is not run) and states nothing; it is left out'],
    [{ type: 'python', value: 'x', description: 'd' }, ['d'], '(code of another harness is not run); a judge decides'],
    [{ type: 'code_contains', pattern: 'x', text: 't' }, ['t'], 'which files are the code'],
    [{ type: 'is-json', value: { type: 'object' } }, [], 'which text is the JSON'],
    [{ type: 'shell', command: 'npm test', text: 't' }, ['t'], 'commands are run only from "checks"'],
    [{ type: 'similar', value: 'x', threshold: 0.8, text: 't' }, ['t'], 'its similarity measure is not supported'],
  ])('%j is not supported, and why', async (item, texts, why) => {
    const read = await judged({ assertions: [item] })
    expect([read.texts, read.case.checks]).toEqual([texts, []])
    expect(read.warnings[0]).toContain(why)
  })
  test.each<[object, string]>([
    [{ type: 'llm_judge', criterion: 'Both cite evidence', description: 'd', name: 'n' }, 'Both cite evidence'],
    [{ type: 'llm-rubric', value: 'It is polite' }, 'It is polite'],
    [{ type: 'output', text: 't' }, 't'],
  ])('%j is a statement for a judge', async (item, text) => {
    expect((await judged({ assertions: [item] })).texts).toEqual([text])
  })
  test.each(['llm_judge', 'constructor', '__proto__'])('type %s says nothing about a check', async (type) => {
    expect((await judged({ assertions: [{ type, text: 't' }] })).texts).toEqual(['t'])
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
