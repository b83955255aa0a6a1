/** Suites in shapes of other tools: a single case without a list, lists under other names, objects of statements. */
import { describe, expect, test } from 'vitest'
import { loadCase, loadEvals, userError } from './folder.ts'

const judged = async (part: object) => {
  const read = await loadCase({ id: 1, prompt: 'p', ...part })
  return { ...read, texts: read.case.expectations.map(({ text }) => text) }
}

describe('one case without a list', () => {
  test('is the only case', async () => {
    const document = { skills: ['s1'], query: 'Make a report', files: [], expected_behavior: ['Writes it', 'Names it'] }
    const { cases, warnings } = await loadEvals(document)
    expect(cases).toMatchObject([{ eval_id: 1, prompt: 'Make a report', cannot_run: null }])
    expect(cases[0]?.expectations.map(({ text }) => text)).toEqual(['Writes it', 'Names it'])
    const said = warnings.map(({ at, message }) => `${at}: ${message}`)
    expect(said).toContain('$: one case without a list; it is read as the only one of "evals"')
    expect(said).toContain('$.skills: "skills" of a case is not read')
  })
  test.each<[object]>([
    [{ prompt: 'Make a report' }],
    [{ expectations: ['a'] }],
    [{ prompt: 3, expectations: ['a'] }],
    [{ description: 'd', version: 1 }],
  ])('%j is none', async (document) => {
    expect((await userError(loadEvals(document))).message).toContain('no list "evals"')
  })
  test('a file with a list is not one, whatever else it has', async () => {
    const { cases } = await loadEvals({ task: 't', rubric: ['r'], tests: [{ prompt: 'a' }, { prompt: 'b' }] })
    expect(cases.map(({ prompt }) => prompt)).toEqual(['a', 'b'])
    const others = await loadEvals({ task: 't', rubric: ['r'], items: [{ prompt: 'a' }] })
    expect(others.cases.map(({ prompt }) => prompt)).toEqual(['a'])
  })
})

describe('lists under names of other tools', () => {
  test.each<[string, string]>([
    ['must_include', 'The outcome includes: x'],
    ['must_contain', 'The outcome includes: x'],
    ['mustHave', 'The outcome includes: x'],
    ['must_preserve', 'The outcome includes: x'],
    ['must_mention', 'The outcome includes: x'],
    ['must_not_include', 'The outcome does not include: x'],
    ['must-not-contain', 'The outcome does not include: x'],
    ['must_not_have', 'The outcome does not include: x'],
    ['must_avoid', 'The outcome does not include: x'],
    ['assert', 'x'],
    ['evaluators', 'x'],
  ])('%s', async (key, text) => {
    for (const value of [['x'], 'x']) {
      const read = await judged({ [key]: value })
      expect([read.texts, read.case.cannot_run]).toEqual([[text], null])
      expect(read.warnings[0]).toContain(`"${key}" is read as "expectations"`)
    }
  })
  test('beside others, and as checks', async () => {
    const item = { type: 'contains', value: '42' }
    const read = await judged({ expectations: ['a'], must_avoid: ['b'], assert: [item] })
    expect(read.texts).toEqual(['a', 'The outcome does not include: b'])
    expect(read.case.checks).toEqual([item])
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
  test.each(['assets', 'must_read'])('%s is no misspelling of one', async (key) => {
    expect((await judged({ expectations: ['a'], [key]: ['x'] })).case.cannot_run).toBeNull()
  })
})

describe('an object of statements', () => {
  test('with names of their own is a list', async () => {
    const read = await judged({ expectations: { short: 'It is short', right: 'It is right' } })
    expect(read.texts).toEqual(['It is short', 'It is right'])
    expect(read.warnings).toEqual(['$.evals[0].expectations: an object of texts; each is read as one criterion'])
  })
  test.each<[object, string[]]>([
    [{ text: 'It is short', why: 'Brevity' }, ['It is short']],
    [{ type: 'style', name: 'short' }, ['short']],
    [{ a: 'It is short' }, ['The outcome meets {"a":"It is short"}']],
    [{ a: 'It is short', b: 3 }, ['The outcome meets {"a":"It is short","b":3}']],
  ])('%j is one criterion', async (value, texts) => {
    expect((await judged({ expectations: value })).texts).toEqual(texts)
  })
})
