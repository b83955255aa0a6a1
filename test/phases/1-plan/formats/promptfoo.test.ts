/** promptfoo's configuration as people have it for skills: tests and prompts in files, no prompts, assertions about a skill. */
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { loadSuite } from '../../../../src/phases/1-plan/suite/load_suite.ts'
import { folderOf, skillText, userError } from '../folder.ts'

const read = (config: object, files: Record<string, string> = {}) =>
  loadSuite(folderOf({ 'SKILL.md': skillText, 'promptfooconfig.yaml': stringify(config), ...files }))

const says = (word: string) => ({ vars: { prompt: word }, assert: [{ type: 'contains', value: word }] })
const promptsOf = ({ cases }: Awaited<ReturnType<typeof read>>) => cases.map(({ prompt }) => prompt)

describe('files', () => {
  const files = { 'tests/b.yaml': stringify([says('b')]), 'tests/a.yaml': stringify([says('a')]) }
  test.each<[string, unknown]>([
    ['a pattern in a list', ['file://tests/*.yaml']],
    ['a pattern alone', 'tests/*.yaml'],
  ])('tests of %s, by name', async (_, tests) => {
    expect(promptsOf(await read({ prompts: ['{{prompt}}'], tests }, files))).toEqual(['a', 'b'])
  })
  test('a pattern that finds nothing is named, and is the reason if no case is left', async () => {
    const none = ['file://tests/*.yml']
    const { warnings } = await read({ prompts: ['{{prompt}}'], tests: [...none, says('a')] }, files)
    expect(JSON.stringify(warnings)).toContain('no file matches it')
    const error = await userError(read({ prompts: ['{{prompt}}'], tests: none }, files))
    expect(error.message).toMatch(
      /without a case; the tests of "file:\/\/tests\/\*\.yml" are not read: no file matches/,
    )
  })
  test('prompts of a pattern', async () => {
    const all = { 'prompts/a.txt': 'A {{prompt}}', 'prompts/b.txt': 'B {{prompt}}' }
    expect(promptsOf(await read({ prompts: ['file://prompts/*.txt'], tests: [says('x')] }, all))).toEqual([
      'A x',
      'B x',
    ])
  })
})

test('without prompts the variable "prompt" is sent', async () => {
  const { cases } = await read({ tests: [says('a'), { vars: { other: 'b' }, assert: [] }] })
  expect(cases.map(({ prompt, cannot_run }) => [prompt, cannot_run === null])).toEqual([
    ['a', true],
    ['', false],
  ])
})

test('skill-used and not-skill-used are indicators; measures without an equal are named', async () => {
  const assert = [
    { type: 'skill-used', value: 'sums' },
    { type: 'not-skill-used', value: 'other' },
    { type: 'trace-error-spans', value: 0 },
    { type: 'contains', value: '2' },
  ]
  const { cases, warnings } = await read({ prompts: ['p'], tests: [{ assert }] })
  expect(cases[0]?.checks).toEqual([{ type: 'skill_read' }, { type: 'contains', value: '2' }])
  expect(cases[0]?.expectations).toEqual([{ text: 'The agent did not use the skill other', indicator: true }])
  for (const named of ['not-skill-used', 'trace-error-spans']) expect(JSON.stringify(warnings)).toContain(named)
})
