/** Checks and lists of criteria that other tools write, among the assertions of a case. */
import { describe, expect, test } from 'vitest'
import { judged } from '../../phases/1-plan/folder.ts'

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
    [{ type: 'file_exists', path: '../a', text: 't' }, 't'],
  ])('%j is not certain: a judge decides', async (item, text) => {
    const read = await judged({ assertions: [item] })
    expect([read.texts, read.case.checks]).toEqual([[text], []])
    expect(read.warnings[0]).toContain('is not certain')
  })
  test('an invalid pattern keeps the case from running, because a judge would decide something else', async () => {
    const read = await judged({ assertions: ['It adds', { type: 'regex', pattern: 'a(', text: 't' }] })
    expect([read.case.cannot_run, read.texts]).toEqual([
      expect.stringContaining('Invalid regular expression'),
      ['It adds'],
    ])
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

describe('lists under names of other tools', () => {
  test.each<[string, string, string]>([
    ['must_include', 'contains', 'The outcome includes: Say hello to them first'],
    ['mustHave', 'contains', 'The outcome includes: Say hello to them first'],
    ['must-not-contain', 'not_contains', 'The outcome does not include: Say hello to them first'],
    ['must_avoid', 'not_contains', 'The outcome does not include: Say hello to them first'],
  ])('%s checks a keyword, and a judge decides a sentence', async (key, type, sentence) => {
    for (const value of [['net total'], 'net total', ' net total ']) {
      const read = await judged({ [key]: value })
      expect([read.texts, read.case.cannot_run]).toEqual([[], null])
      expect(read.case.checks).toEqual([{ type, value: 'net total', ignore_case: true }])
      expect(read.warnings[0]).toContain(`"${key}" is read as "expectations"`)
    }
    expect((await judged({ [key]: ['Say hello to them first'] })).texts).toEqual([sentence])
  })
  test.each([
    ['Reveal secrets', 'The outcome does not include: Reveal secrets'],
    ['Do not mention it', 'Do not mention it'],
  ])('what must not be done is judged, not searched for: %s', async (item, text) => {
    expect((await judged({ must_avoid: [item] })).texts).toEqual([text])
  })
  test.each(['assert', 'evaluators'])('%s', async (key) => {
    const read = await judged({ [key]: ['x'] })
    expect([read.texts, read.case.cannot_run]).toEqual([['x'], null])
  })
  test('of which one is enough', async () => {
    const read = await judged({ must_include_one_of: ['unknown', 'not measured'] })
    expect(read.case.checks).toMatchObject([{ type: 'regex', flags: 'i' }])
    const pattern = read.case.checks[0]?.type === 'regex' ? new RegExp(read.case.checks[0].pattern, 'i') : /^$/
    expect(['It is UNKNOWN', 'not measured', 'known'].map((text) => pattern.test(text))).toEqual([true, true, false])
  })
  test('a pattern in a list of keywords', async () => {
    const read = await judged({ must_contain: [{ regex: 'a+b' }], must_not_contain: [{ regex: 'c' }] })
    expect(read.case.checks).toEqual([
      { type: 'regex', pattern: 'a+b', flags: 'i' },
      { type: 'regex', pattern: 'c', flags: 'i', absent: true },
    ])
  })
  test('patterns', async () => {
    const read = await judged({ required_regex: ['DONE:'], forbidden_regex: ['git commit', 'git push'] })
    expect(read.case.checks).toEqual([
      { type: 'regex', pattern: 'DONE:' },
      { type: 'regex', pattern: 'git commit', absent: true },
      { type: 'regex', pattern: 'git push', absent: true },
    ])
  })
  test.each(['must_have', 'assert', 'required_regex'])('a number in %s keeps the case from running', async (key) => {
    expect((await judged({ [key]: [3] })).case.cannot_run).toContain(`"${key}" holds a number`)
  })
  test('a keyword with a class of characters is a pattern, in a list of what must not be too', async () => {
    const read = await judged({ must_have: ['module\\s+cnt'], forbidden: ['TODO\\b', 'C:\\build'] })
    expect(read.case.checks).toMatchObject([
      { type: 'regex', pattern: 'module\\s+cnt' },
      { type: 'regex', pattern: 'TODO\\b', absent: true },
      { type: 'not_contains', value: 'C:\\build' },
    ])
  })
  test.each<[string, object]>([
    ['must_have', { a: 1 }],
    ['forbidden', { text: 'It asks' }],
    ['must_not', { type: 'contains', value: 'x' }],
  ])('an object in %s that would be guessed keeps the case from running: %j', async (key, item) => {
    expect((await judged({ [key]: ['x', item] })).case.cannot_run).toContain(`${key}[1]: it is an object, not a text`)
    expect((await judged({ [key]: ['x'] })).case.cannot_run).toBeNull()
  })
  test.each(['assets', 'must_read'])('%s is no misspelling of one', async (key) => {
    expect((await judged({ expectations: ['a'], [key]: ['x'] })).case.cannot_run).toBeNull()
  })
})

describe('what is said twice counts once', () => {
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
