/** Sets of trigger queries in the shapes that are out there; what is no yes and no no is never taken for one. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadQuerySet } from '../../../src/features/triggers/queries/load_query_set.ts'
import { findQuerySet } from '../../../src/features/triggers/queries/query_set.ts'

async function load(content: unknown, skill = 'pdf') {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'set-')), 'set.json')
  writeFileSync(file, JSON.stringify(content))
  return await loadQuerySet(file, skill)
}

const yes = { query: 'fill it in', should_trigger: true }
const no = { query: 'what is it?', should_trigger: false }
const both = [
  ['fill it in', true],
  ['what is it?', false],
]
const group = (skill: string, ...queries: object[]) => ({ skill, queries })
/** The two queries, with a field that says what they should do. */
const pair = (field: string, first: unknown, second: unknown) => [
  { query: yes.query, [field]: first },
  { query: no.query, [field]: second },
]

test('a CSV with a row for each query, found in evals/', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'set-'))
  const file = path.join(folder, 'evals', 'pdf.prompts.csv')
  mkdirSync(path.dirname(file))
  writeFileSync(file, 'id,should_trigger,prompt\na,true,"fill it in, please"\nb,FALSE,what is it?\n')
  expect(findQuerySet(folder)).toBe(file)
  const { queries } = await loadQuerySet(file, 'pdf')
  expect(queries.map(({ id, query, should_trigger }) => [id, query, should_trigger])).toEqual([
    ['a', 'fill it in, please', true],
    ['b', 'what is it?', false],
  ])
  writeFileSync(file, 'ID;Should Trigger;Query\na;true;fill it in, please\n')
  expect((await loadQuerySet(file, 'pdf')).queries).toMatchObject([{ id: 'a', query: 'fill it in, please' }])
  for (const text of ['id,shuold_trigger,prompt\na,true,x\n', 'should_trigger;promptt\ntrue;x\n'])
    await expect(writeAndLoad(text)).rejects.toThrow(
      `names no column for the query or its label: ${text.split('\n')[0]}`,
    )
  await expect(writeAndLoad('id,prompt,should_trigger\n"a')).rejects.toMatchObject({ name: 'UserError' })
  function writeAndLoad(text: string) {
    writeFileSync(file, text)
    return loadQuerySet(file, 'pdf')
  }
})

test.each<[string, unknown]>([
  ['a list', [yes, no]],
  ...['queries', 'cases', 'test_cases', 'evals', 'results'].map((name): [string, unknown] => [
    name,
    { [name]: [yes, no] },
  ]),
  ['two lists of texts', { should_trigger: ['fill it in'], should_not_trigger: ['what is it?'] }],
  ['of objects', { should_trigger: [{ query: 'fill it in' }], should_not_trigger: [{ prompt: 'what is it?' }] }],
  ['groups', [group('docx', { ...yes, query: 'other' }), group('pdf', yes, no)]],
  ['skills', { skills: [{ name: 'pdf', should_trigger: ['fill it in'], should_not_trigger: ['what is it?'] }] }],
  ['prompt', [yes, no].map(({ query, should_trigger }) => ({ prompt: query, should_trigger }))],
  [
    'input and expected',
    { cases: [yes, no].map(({ query }) => ({ input: query, expected: query === yes.query ? 'trigger' : 'skip' })) },
  ],
  ['names of skills', pair('should_trigger', 'pdf', 'docx')],
  ['a plugin before the name', pair('should_trigger', 'office:pdf', null)],
  ['expected_skill', pair('expected_skill', 'pdf', 'docx').map((one) => ({ ...one, should_trigger: true }))],
  ['names and false', [{ query: 'fill it in', should_trigger: 'pdf' }, no]],
])('%s', async (_, content) => {
  const { queries } = await load(content)
  expect(queries.map(({ query, should_trigger }) => [query, should_trigger])).toEqual(both)
  expect(queries.map(({ query_id }) => query_id)).toEqual([1, 2])
})

describe('refused', () => {
  test.each<[string, unknown, RegExp]>([
    ['a routing set that never names the skill', [{ query: 'a', should_trigger: 'docx' }], /routing set.*never pdf/],
    ['true among names', [yes, { query: 'b', should_trigger: 'pdf' }], /\$\[0\] says true in a set that names skills/],
    ['true in quotes', [{ query: 'a', should_trigger: 'true' }], /\$\[0\]\.should_trigger is "true"/],
    ['a number', [{ query: 'a', should_trigger: 1 }], /\$\[0\]\.should_trigger is 1/],
    ['groups without one for the skill', [{ skill: 'docx', queries: [yes] }], /none for pdf/],
    ['an item without a query', [{ should_trigger: true }], /\$\[0\] has no query/],
    ['nothing', [], /no queries in it/],
    ['a misspelt label', [yes, { query: 'b', shuold_trigger: false }], /\$\[1\].*did you mean "should_trigger"/],
  ])('%s', async (_, content, message) => {
    await expect(load(content)).rejects.toThrow(message)
  })
})

test('what the set says besides is kept', async () => {
  const { queries } = await load([
    { ...yes, id: 7, split: 'train', reason: 'a form' },
    { ...no, split: 'validation' },
  ])
  expect(queries).toMatchObject([
    { id: '7', split: 'train', note: 'a form' },
    { id: null, split: 'test', note: null },
  ])
})

test('fields that are not read are named once, the known ones in any spelling are not', async () => {
  const { queries, warnings } = await load({
    ...{ skill_name: 'pdf', owner: 'ann', mode: 'x', cases: [{ q: 'x' }] },
    queries: [
      { Query: 'a', shouldTrigger: true, tone: 1, note: 'n', difficulty: 2 },
      { ...no, tone: 2 },
    ],
  })
  expect(queries).toHaveLength(2)
  expect(warnings).toMatchObject([
    { at: '$.mode', message: '"mode" of the set is not read' },
    { at: '$.cases', message: '"cases" of the set is not read' },
    { at: '$.queries[0].tone', message: '"tone" of a query is not read (here and at 1 more)' },
  ])
})

test('an item that says nothing is left out, and named', async () => {
  const { queries, warnings } = await load({ evals: [yes, no, { prompt: 'a case of another kind' }] })
  expect(queries).toHaveLength(2)
  expect(warnings).toMatchObject([{ at: '$.evals[2]' }])
})

test.each<[string, unknown, RegExp]>([
  ['of one kind', [yes], /always used would be perfect/],
  ['repeated', [yes, yes, no], /^1 query repeats another one/m],
  ['that contradict each other', [yes, { ...yes, should_trigger: false }], /both should and should not/],
  ['about another skill', { skill_name: 'docx', queries: [yes, no] }, /about docx/],
])('queries %s are warned of', async (_, content, message) => {
  const { warnings } = await load(content)
  expect(warnings.map(({ message: text }) => text).join('\n')).toMatch(message)
})

test('the set of a skill is found, unless there are two', () => {
  const skill = mkdtempSync(path.join(tmpdir(), 'skill-'))
  expect(() => findQuerySet(skill)).toThrow(/no trigger queries found/)
  writeFileSync(path.join(skill, 'trigger_evals.json'), '[]')
  expect(findQuerySet(skill)).toBe(path.join(skill, 'trigger_evals.json'))
  writeFileSync(path.join(skill, 'triggers.json'), '[]')
  expect(() => findQuerySet(skill)).toThrow(/several/)
})
