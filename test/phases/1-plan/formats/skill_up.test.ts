/** skill-up's eval.yaml with its case files: what its judges and rules become. */
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { loadSuite } from '../../../../src/phases/1-plan/suite/load_suite.ts'
import { folderOf, skillText } from '../folder.ts'

/** A suite with these cases; `judge` is that of the suite. */
async function read(cases: Record<string, object>, judge: object | null = null) {
  const files = Object.fromEntries(
    Object.entries(cases).map(([id, one]) => [
      `evals/cases/${id}.yaml`,
      stringify({ id, input: { prompt: 'p' }, ...one }),
    ]),
  )
  const suite = { schema_version: 'v1alpha1', cases: { files: Object.keys(files) }, ...(judge !== null && { judge }) }
  const root = folderOf({ 'SKILL.md': skillText, 'evals/eval.yaml': stringify(suite), ...files })
  return await loadSuite(root)
}

test('a case without a judge has that of the suite, and one with a judge its own', async () => {
  const judge = { type: 'agent_judge', model: 'm', criteria: ['It is kind'] }
  const own = { type: 'agent_judge', criteria: ['It is short'] }
  const { cases, warnings } = await read({ a: {}, b: { judge: own } }, judge)
  expect(cases.map(({ expectations }) => expectations.map(({ text }) => text))).toEqual([
    ['It is kind'],
    ['It is short'],
  ])
  expect(JSON.stringify(warnings)).not.toContain('"judge\\" of the file')
})

test('a judge of the suite that only names a model decides nothing', async () => {
  const { cases } = await read({ a: { expect: { must_contain: ['x'] } } }, { type: 'agent_judge', model: 'm' })
  expect(cases.map(({ checks, cannot_run }) => [checks.length, cannot_run])).toEqual([[1, null]])
})

test.each<[string, unknown, object]>([
  ['output_contains', { any: ['Nil', 'bug'] }, { type: 'regex', pattern: 'Nil|bug' }],
  ['files_exist', ['a.md'], { type: 'file_exists', path: 'a.md' }],
  ['files_not_exist', ['b.log'], { type: 'file_absent', path: 'b.log' }],
  ['turn_response_contains', { turn: 1, contains_any: ['a', 'B'] }, { type: 'regex', pattern: 'a|B' }],
])('the rule %s is a check', async (rule, value, wanted) => {
  const judge = { type: 'rule_based', success: [{ [rule]: value }] }
  const { cases } = await read({ a: { judge, input: { turns: [{ content: 'p' }, { content: 'q' }] } } })
  expect(cases[0]?.checks).toMatchObject([wanted])
  expect(JSON.stringify(cases[0]?.checks)).not.toContain('"flags"') // capitals count there
})
