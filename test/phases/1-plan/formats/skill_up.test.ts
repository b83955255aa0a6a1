/** skill-up's eval.yaml with its case files: what its judges and rules become. */
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { check as checkSchema } from '../../../../schemas/check.ts'
import { loadSuite } from '../../../../src/phases/1-plan/suite/load_suite.ts'
import { decideCheck } from '../../../../src/phases/3-judge/checks/decide_check.ts'
import { sceneWith } from '../../3-judge/scene.ts'
import { folderOf, skillText } from '../folder.ts'

/** A suite with these cases; `judge` is that of the suite. */
async function read(cases: Record<string, object>, judge: object | null = null, more: Record<string, string> = {}) {
  const files = Object.fromEntries(
    Object.entries(cases).map(([id, one]) => [
      `evals/cases/${id}.yaml`,
      stringify({ id, input: { prompt: 'p' }, ...one }),
    ]),
  )
  const suite = { schema_version: 'v1alpha1', cases: { files: Object.keys(files) }, ...(judge !== null && { judge }) }
  const root = folderOf({ 'SKILL.md': skillText, 'evals/eval.yaml': stringify(suite), ...files, ...more })
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

describe('the judge script', () => {
  const judge = { type: 'script', script_path: 'evals/check.sh', timeout_seconds: 9 }
  const readScript = async (text: string, changes: object = {}) => {
    const { cases, warnings } = await read({ a: { judge: { ...judge, ...changes } } }, null, { 'evals/check.sh': text })
    return { ...cases[0], warnings: JSON.stringify(warnings) }
  }
  test.each<[string, string, boolean, string]>([
    ['exit code 0', 'echo fine; [ "$EVAL_FINAL_MESSAGE" = "It is 42" ] && [ -f sum.txt ]', true, 'fine (Passed)'],
    ['another exit code', 'exit 3', false, 'exit code 3 (Failed)'],
  ])('%s decides, with the answer in its environment', async (_, text, passed, evidence) => {
    const { checks, grading_files: gradingFiles, cannot_run } = await readScript(text)
    expect(cannot_run).toBeNull()
    expect(checks).toMatchObject([{ type: 'javascript', timeout: 9, text: 'The script evals/check.sh passes' }])
    const scene = await sceneWith({ 'sum.txt': '42' }, { finalResponse: 'It is 42', gradingFiles: gradingFiles ?? [] })
    expect(await decideCheck(checkSchema.parse(checks?.[0]), scene)).toEqual({ passed, evidence })
  })
  test.each<[string, string, object, string]>([
    ['reads the transcript', 'cat "$EVAL_TRANSCRIPT_PATH"', {}, 'reads the transcript'],
    ['is not there', '', { script_path: 'evals/gone.sh' }, 'not a text file'],
    ['has no known interpreter', '', { script_path: 'SKILL.md' }, 'neither .sh nor .py'],
  ])('one whose script %s is named and not read', async (_, text, changes, why) => {
    const { checks, warnings } = await readScript(text, changes)
    expect(checks).toEqual([])
    expect(warnings).toContain(why)
  })
})
