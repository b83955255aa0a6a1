/** promptfoo's configuration as people have it for skills: tests and prompts in files, no prompts, assertions about a skill. */
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { loadSuite } from '../../../../src/phases/1-plan/suite/load_suite.ts'
import { folderOf, skillText, userError } from '../folder.ts'

const read = (config: object, files: Record<string, string> = {}) =>
  loadSuite(folderOf({ 'SKILL.md': skillText, 'promptfooconfig.yaml': stringify(config), ...files }))

const says = (word: string) => ({ vars: { prompt: word }, assert: [{ type: 'contains', value: word }] })
const promptsOf = ({ cases }: Awaited<ReturnType<typeof read>>) => cases.map(({ prompt }) => prompt)

describe('javascript', () => {
  const only = async (assertion: object, files: Record<string, string> = {}, vars: object = {}) => {
    const config = { prompts: ['p'], tests: [{ vars, assert: [{ type: 'javascript', ...assertion }] }] }
    const { cases, warnings } = await read(config, files)
    return { check: cases[0]?.checks[0], cannotRun: cases[0]?.cannot_run, warnings: JSON.stringify(warnings) }
  }
  test('an expression or a function body is a check of the answer', async () => {
    const { check, cannotRun } = await only({ value: 'output.length < 9', threshold: 0.5, config: { n: 1 }, weight: 2 })
    expect(check).toEqual({ type: 'javascript', code: 'output.length < 9', pass_at: 0.5, config: { n: 1 }, weight: 2 })
    expect(cannotRun).toBeNull()
  })
  test('variables are filled in, and are there as context.vars', async () => {
    const { check } = await only({ value: "output.includes('{{ word }}')" }, {}, { word: 'a' })
    expect(check).toEqual({ type: 'javascript', code: "output.includes('a')", vars: { word: 'a' } })
  })
  test.each<[string, string, object]>([
    ['file://a.js', 'a.js', { script: 'a.js' }],
    ['file://lib/a.mjs:has', 'lib/a.mjs', { script: 'lib/a.mjs', function: 'has' }],
  ])('a function in %s, with the files next to it', async (value, name, wanted) => {
    const { check, cannotRun } = await only({ value }, { [name]: 'module.exports = () => true', 'lib/b.js': '' })
    expect(check).toMatchObject({ type: 'javascript', ...wanted })
    const place = name.startsWith('lib/') ? 'lib' : 'a.js'
    expect(Object(check).files[0]).toEqual({ from: place, to: place })
    expect(cannotRun).toBeNull()
  })
  test.each<[string, object, string]>([
    ['reads what only promptfoo records', { value: 'context.providerResponse.cost < 1' }, 'only promptfoo records'],
    ['loads a module by its path', { value: "require('./x').has(output)" }, 'by its path'],
    ['is negated', { value: 'true', negate: true }, 'negate'],
    ['is in a file that is not there', { value: 'file://gone.js' }, 'gone.js is not in the folder'],
    ['is in a file of Python', { value: 'file://a.py' }, 'not JavaScript'],
    ['is not text', { value: 3 }, 'not code'],
  ])('one that %s is named and not read', async (_, assertion, why) => {
    const { check, warnings } = await only(assertion)
    expect(check).toBeUndefined()
    expect(warnings).toContain(why)
  })
  test('a function whose file reads what only promptfoo records is named', async () => {
    const files = { 'a.js': 'module.exports = (output, { providerResponse }) => providerResponse.cost < 1' }
    expect((await only({ value: 'file://a.js' }, files)).warnings).toContain('only promptfoo records')
  })
  test('code that is not JavaScript keeps the case from running', async () => {
    expect((await only({ value: 'output includes 4' })).cannotRun).toContain('is not JavaScript')
  })
})

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
