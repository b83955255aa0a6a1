/** Slips in golden tests and EVAL.md that would otherwise pass unseen: each is told with its place. */
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { findSuites } from '../../../../src/phases/1-plan/suite/find_suites.ts'
import { folderOf, userError } from '../folder.ts'

const golden = (id: string, fact = '') => `---\ntest_id: ${id}\ncategory: happy\n${fact}---\n## Input\nRent?\n`
const source = (place: string) => `expected_facts:\n  - claim: rent\n    source: ${place}\n`

async function agentWith(files: Record<string, string>, rubric = 'weights: { care: 100 }') {
  const folder = folderOf({
    'a/persona/IDENTITY.md': 'You are A.',
    'a/memory/rent.md': 'Rent: 5.',
    'outside.md': 'x',
    'a/evals/rubric.md': `---\n${rubric}\n---\nBe exact.\n`,
    'a/evals/judge.md': '---\nstrict_mode: true\n---\n{agent_response}\n',
    ...files,
  })
  symlinkSync('../../outside.md', path.join(folder, 'a/memory/linked.md'))
  const [found] = await findSuites(path.join(folder, 'a'), 'golden')
  if (found === undefined) throw new Error('no suite')
  return await found.load()
}

describe("a fact's source", () => {
  test.each([
    ['memory/rent.md', true],
    ['memory/rent.md#rent', true],
    ['the letter of May', true],
    ['memory/gone.md', false],
    ['../outside.md', false],
    ['memory/../../outside.md', false],
    ['/etc/hosts.conf', false],
    ['~/rent.md', false],
    ['memory/linked.md', false],
  ])('%s is in the vault: %j', async (place, isThere) => {
    const { cases } = await agentWith({ 'a/evals/golden/happy/1.md': golden('x', source(place)) })
    const [one] = cases
    if (isThere) expect(one?.cannot_run).toBeNull()
    else expect(one?.cannot_run).toMatch(/1\.md:6: .* is not in the vault: update the test/)
  })
})

describe('a warning', () => {
  const messages = async (files: Record<string, string>, rubric?: string) =>
    (await agentWith(files, rubric)).warnings.map(({ message }) => message)
  test('tells of a test_id that two files have', async () => {
    const first = { 'a/evals/golden/happy/1.md': golden('x') }
    expect(await messages({ ...first, 'a/evals/golden/happy/2.md': golden('x') })).toEqual([
      'test_id x is that of 1.md too: both are run',
    ])
    expect(await messages({ ...first, 'a/evals/golden/happy/2.md': golden('y') })).toEqual([])
  })
  test.each([
    [5, []],
    [6, ['threshold_pass 6 is above the scale of 1 to 5: no test can pass']],
  ])('tells of a threshold of %i', async (threshold, wanted) => {
    const rubric = `weights: { care: 100 }\nthreshold_pass: ${threshold}`
    expect(await messages({ 'a/evals/golden/happy/1.md': golden('x') }, rubric)).toEqual(wanted)
  })
})

describe('a package', () => {
  const loaded = async (files: Record<string, string>) => {
    const [found] = await findSuites(folderOf({ 'package.agent.json': '{"name":"p"}', ...files }), 'aam')
    return await (found?.load() ?? Promise.reject(new Error('no suite')))
  }
  const one = 'name: a\ninput: { prompt: x }\njudge: { criteria: y }\n'
  test('has one mistake a field: what is of the wrong kind is not missing too', async () => {
    const config = '{"version":"1","engine":["claude-code"]}'
    const { message } = await userError(loaded({ 'evals/eval-config.json': config, 'evals/cases/a.yaml': one }))
    expect(message).toMatch(/version must be a number/)
    expect(message).toMatch(/engine must be text/)
    expect(message).not.toContain('is missing')
  })
})

test.each(['rubric.md', 'judge.md'])('golden tests without %s are told what belongs together', async (name) => {
  const files = {
    'a/evals/rubric.md': '---\nweights: { care: 100 }\n---\nx\n',
    'a/evals/judge.md': '---\nstrict_mode: true\n---\n{agent_response}\n',
    'a/evals/golden/happy/1.md': golden('x'),
  }
  const folder = folderOf(files)
  rmSync(path.join(folder, 'a/evals', name))
  const [found] = await findSuites(folder, 'golden')
  const { message, fix } = await userError(found?.load() ?? Promise.resolve())
  expect([message, fix]).toEqual([
    expect.stringMatching(new RegExp(`${name}: no such file$`)),
    expect.stringContaining('add rubric.md and judge.md next to golden/'),
  ])
})

describe('an EVAL.md', () => {
  test('that is no text is told as that, alone and in a tree', async () => {
    const folder = folderOf({})
    writeFileSync(path.join(folder, 'EVAL.md'), Buffer.from('## a\n### Prompt\nx\n### Expect\ny\n', 'utf16le'))
    for (const place of [folder, path.join(folder, 'EVAL.md')]) {
      const [found] = await findSuites(place, null)
      const { message, fix } = await userError(found?.load() ?? Promise.resolve())
      expect([message, fix]).toEqual([expect.stringMatching(/EVAL\.md:1:1: it is not UTF-8 text/), expect.any(String)])
    }
  })
  test('that is a link is named where nothing else is found', async () => {
    const folder = folderOf({ 'real.md': '## a\n### Prompt\nx\n### Expect\ny\n', 'b/notes.md': 'x' })
    symlinkSync('../real.md', path.join(folder, 'b/EVAL.md'))
    const { fix } = await userError(findSuites(path.join(folder, 'b'), null))
    expect(fix).toBe('links are not followed: pass EVAL.md itself, or copy it into the folder')
  })
})
