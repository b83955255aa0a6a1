/** Suites in shapes of other tools: a single case without a list, a file for each case, objects of statements. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { inspectSuite, loadSuite } from '../../../src/phases/1-plan/suite/load_suite.ts'
import { folderOf, judged, loadEvals, skillText, userError } from './folder.ts'

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

test('"expect" is a list of statements; a list "references" is not read, and no mistake', async () => {
  const read = await judged({ expect: ['Seven boats', 'A table'], references: ['rules.md'] })
  expect(read.case.expectations.map(({ text }) => text)).toEqual(['Seven boats', 'A table'])
  expect(read.case.cannot_run).toBeNull()
  expect(read.warnings.join()).toContain('"references" of a case is not read')
  // a name that is only misspelt still keeps its case from running
  expect((await judged({ expectation: ['a'], expectatoins: ['b'] })).case.cannot_run).toContain('did you mean')
  expect((await judged({ inputs: ['a.csv'], expectations: ['a'] })).case.cannot_run).toContain('did you mean "input"')
})

test.each(['judges', 'agents', 'matrix'])('a list "%s" with prompts has no cases', async (name) => {
  const document = { [name]: [{ prompt: 'Judge the answer.', criteria: ['a'] }], execution: 'x' }
  expect((await userError(loadEvals(document))).message).toContain('no list "evals"')
  // under a name that says nothing it is read as before
  expect((await loadEvals({ items: document[name] })).cases).toHaveLength(1)
})

test('several expected outputs are one, as JSON', async () => {
  const read = await judged({ expected_outputs: ['A', 'B'] })
  expect([read.case.expected_output, read.case.cannot_run]).toEqual(['["A","B"]', null])
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

describe('groups of cases under "suites"', () => {
  const grouped = {
    skill_name: 'sums',
    evals: [{ id: 1, prompt: 'a', expectations: ['x'] }],
    suites: [
      { name: 'easy', setup: ['true'], tests: [{ prompt: 'b', expectations: ['x'] }] },
      { name: 'hard', retries: 3, suites: [{ cases: [{ prompt: 'c', expectations: ['x'], category: 'own' }] }] },
      { name: 'none' },
    ],
  }
  test.each(['evals/evals.json', 'evals/evals.yaml'])('are one list in %s, at any depth', async (name) => {
    const root = folderOf({ 'SKILL.md': skillText, [name]: JSON.stringify(grouped) })
    const { cases, warnings } = await loadSuite(root)
    expect(cases.map(({ prompt, metadata }) => [prompt, metadata?.category ?? null])).toEqual([
      ['a', null],
      ['b', 'easy'],
      ['c', 'own'],
      ['', null],
    ])
    expect(cases[1]?.setup).toContain('true')
    expect(cases[3]?.cannot_run).toMatch(/no prompt/)
    expect(JSON.stringify(warnings)).toContain('\\"retries\\" of a group is not read')
  })
  test.each(['evals/evals.json', 'evals/evals.yaml'])('are named by their places in %s', async (name) => {
    const odd = { prompt: 'b', expectations: ['x'], oddity: 1 }
    const file = {
      evals: [odd],
      suites: [{ tests: [{ prompt: 'a' }, odd] }, { suites: [{ cases: [odd, 3] }] }, {}, null],
    }
    const root = folderOf({ 'SKILL.md': skillText, [name]: JSON.stringify(file) })
    const { suite, places } = await inspectSuite(root)
    const all = [
      '$.evals[0]',
      '$.suites[0].tests[0]',
      '$.suites[0].tests[1]',
      '$.suites[1].suites[0].cases[0]',
      '$.suites[2]',
    ]
    expect(places.map(({ at }) => at)).toEqual(all)
    const named = suite.warnings.map(({ at, file: of }) => `${path.basename(of)} ${at}`).join(' ')
    expect(named).toContain(`${path.basename(name)} $.suites[1].suites[0].cases[1]`)
    expect(named).toContain(`${path.basename(name)} $.suites[3]`)
    expect(suite.warnings.filter(({ message }) => message.includes('oddity')).map(({ at }) => at)).toEqual([
      expect.stringContaining(all[0] ?? ''),
    ])
  })
})

const one = { skills: ['sums'], query: 'Make a report', files: [], expected_behavior: ['Writes report.md'] }
const two = { ...one, query: 'Make a second one' }
const place = (more: Record<string, unknown> = {}) =>
  folderOf({
    'SKILL.md': skillText,
    'evals/one.json': JSON.stringify(one),
    'evals/two.json': JSON.stringify(two),
    ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, JSON.stringify(value)])),
  })

test('a folder with a file for each case is a suite, in the order of their names', async () => {
  const folder = place()
  const suite = await loadSuite(folder)
  expect(suite).toMatchObject({ path: path.join(folder, 'evals'), skill_name: 'sums' })
  expect(suite.cases.map(({ prompt }) => prompt)).toEqual(['Make a report', 'Make a second one'])
  expect(suite.cases.map(({ eval_id }) => eval_id)).toEqual([1, 2])
  expect((await loadSuite(path.join(folder, 'evals'), folder)).cases).toHaveLength(2)
  expect((await loadSuite(path.join(folder, 'evals/two.json'))).cases).toHaveLength(1)
})

test('evals.json wins; files for triggers are no cases; others are named', async () => {
  const both = place({ 'evals/evals.json': [{ prompt: 'p', expectations: ['e'] }] })
  expect((await loadSuite(both)).cases.map(({ prompt }) => prompt)).toEqual(['p'])
  const folder = place({
    'evals/trigger_evals.json': [{ query: 'q', should_trigger: true }],
    'evals/odd.json': { x: 1 },
  })
  const { cases, warnings } = await loadSuite(folder)
  expect(cases).toHaveLength(2)
  expect(warnings.filter(({ message }) => message.startsWith('not a case'))).toMatchObject([
    { file: path.join(folder, 'evals/odd.json') },
  ])
})

test('what is wrong in a file names that file, and the case is known', async () => {
  const folder = place({ 'evals/two.json': { ...two, checks: [{ type: 'file_exits', path: 'x' }], mood: 'good' } })
  const { suite, mistakes, places } = await inspectSuite(folder)
  expect(mistakes).toMatchObject([
    { at: expect.stringMatching(/^\$\[1\]\./), message: expect.stringMatching(/^two\.json: /) },
  ])
  expect(places.map(({ file }) => path.basename(file))).toEqual(['one.json', 'two.json'])
  expect(suite.warnings).toContainEqual(
    expect.objectContaining({ file: path.join(folder, 'evals/two.json'), at: '$.mood' }),
  )
})

test('control: without a case in it the folder is not a suite', async () => {
  const folder = folderOf({ 'SKILL.md': skillText, 'evals/odd.json': '{"x":1}' })
  await expect(loadSuite(folder)).rejects.toThrow('no suite found')
  writeFileSync(path.join(folder, 'evals/one.json'), JSON.stringify(one))
  expect((await loadSuite(folder)).cases).toHaveLength(1)
})

test.each([
  [false, ['It is not so that: A new git branch was created', 'It answers', 'No commit was created']],
  [true, ['A new git branch was created', 'It answers', 'No commit was created']],
])(
  'should_trigger %s beside assertions: those about a branch or a commit turn around as in agent-skill-eval',
  async (should_trigger, texts) => {
    const assertions = ['A new git branch was created', 'It answers', 'No commit was created']
    expect((await judged({ should_trigger, assertions })).texts).toEqual(texts)
  },
)

test('ground_truth is the expected output', async () => {
  expect((await judged({ ground_truth: '42' })).case.expected_output).toBe('42')
})
