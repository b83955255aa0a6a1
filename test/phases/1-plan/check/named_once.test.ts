/** A mistake is one problem of `check`: it is named as what it is, not as what would be missing because of it. */
import { expect, test } from 'vitest'
import { checkSkill } from '../../../../src/phases/1-plan/check/check_skill.ts'
import { readSkill } from '../../../../src/phases/1-plan/skill/read_skill.ts'
import { folderOf, skillText, skillWith } from '../folder.ts'

async function said(folder: string, rule: string) {
  const found = (await checkSkill(folder)).problems.filter((one) => one.rule === rule)
  return found.map(({ message, fix }) => [message, fix])
}

test.each([{ indicator: 'yes' }, { weight: 0 }])('%j of a criterion: no criteria are missing', async (field) => {
  const evals = [{ id: 1, prompt: 'p', expectations: [{ text: 't', ...field }] }]
  const folder = skillWith({ skill_name: 'sums', evals })
  expect(await said(folder, 'case-cannot-run')).toHaveLength(1)
  expect(await said(folder, 'criteria-missing')).toEqual([])
})

test('a slip in a golden test is named, not a prompt that would be missing', async () => {
  const agent = folderOf({
    'persona/IDENTITY.md': 'You are A.',
    'evals/rubric.md': '---\nweights: { care: 100 }\ncolour: red\n---\nBe exact.\n',
    'evals/judge.md': '---\nstrict_mode: true\n---\n{agent_response}\n',
    'evals/golden/happy/1.md': '---\ntest_id: a\ncategory: happy\nexpected_fcts: []\n---\n## Input\nRent?\n',
  })
  const { problems } = await checkSkill(`${agent}/evals`)
  expect(problems.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual([
    'error field-misspelt',
    'warning not-read',
  ])
})

test.each([
  ['descripton', 'name: sums\ndescripton: Adds up.', 'description-missing', 'description'],
  ['nmae', 'description: d\nnmae: sums', 'name-missing', 'name'],
])(
  'the misspelt key %s is named once, with its line, in place of the field that is missing',
  async (key, front, rule, field) => {
    const folder = folderOf({ 'SKILL.md': `---\n${front}\n---\nAdd.\n` })
    const { problems } = await checkSkill(folder, null)
    const ofKeys = problems.filter((one) => [rule, 'unknown-key'].includes(one.rule))
    expect(ofKeys.map(({ message, fix, line }) => [message, fix, line])).toEqual([
      [`unknown key "${key}"`, `did you mean "${field}"?`, 3],
    ])
    await expect(readSkill(folder)).rejects.toMatchObject({
      message: `${folder}/SKILL.md:3: unknown key "${key}"`,
      fix: `did you mean "${field}"?`,
    })
  },
)

test('a key that is near a field which is there stays an unknown key', async () => {
  const front = 'name: sums\ndescription: Adds up.\ndescripton: Adds.'
  const folder = folderOf({ 'SKILL.md': `---\n${front}\n---\nAdd.\n` })
  expect(await said(folder, 'unknown-key')).toHaveLength(1)
  await expect(readSkill(folder)).resolves.toMatchObject({ skill: { description: 'Adds up.' } })
})

test('a case whose id is taken is named by that id, and the other by its name', async () => {
  const shared = { id: 2, prompt: 'p', expectations: ['e'] }
  const evals = [
    { ...shared, id: 1, name: 'march' },
    { ...shared, name: 'april' },
    { ...shared, name: 'may', checks: [{ type: 'contain', value: 'x' }] },
  ]
  const folder = folderOf({ 'SKILL.md': skillText, 'evals/evals.json': JSON.stringify({ skill_name: 'sums', evals }) })
  expect(await said(folder, 'duplicate-id')).toMatchObject([
    ['case 2 (may): has the same id as case 2 (april)', expect.any(String)],
  ])
  expect(await said(folder, 'own-field')).toMatchObject([
    [expect.stringMatching(/^case 2 \(may\): unknown check type "contain"/), expect.any(String)],
  ])
})
