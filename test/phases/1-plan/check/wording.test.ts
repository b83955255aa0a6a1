/** What `check` says of a mistake names what is there and what is wanted, in words of ours. */
import { expect, test } from 'vitest'
import { checkSkill } from '../../../../src/phases/1-plan/check/check_skill.ts'
import { readSkill } from '../../../../src/phases/1-plan/skill/read_skill.ts'
import { folderOf, skillText, skillWith } from '../folder.ts'

async function said(folder: string, rule: string) {
  const found = (await checkSkill(folder)).problems.filter((one) => one.rule === rule)
  return found.map(({ message, fix }) => [message, fix])
}
const caseOf = (change: object) => skillWith({ skill_name: 'sums', evals: [{ id: 1, expectations: ['x'], ...change }] })

const asText = 'write it as one text in "prompt", lines parted by \\n'
test.each<[object, string, string]>([
  [{ prompt: { text: 'a' } }, 'no prompt: "prompt" is an object, not text', asText],
  [{ messages: [{ role: 'user' }] }, 'no prompt', 'write what a user would ask'],
  [{}, 'no prompt', 'write what a user would ask'],
])('prompt-empty: %j', async (change, message, fix) => {
  const folder = caseOf(change)
  expect(await said(folder, 'prompt-empty')).toEqual([[`case 1 (case-1): ${message}`, fix]])
  expect(await said(folder, 'case-cannot-run')).toEqual([])
})

test('an indicator that is neither true nor false', async () => {
  const folder = caseOf({ prompt: 'p', expectations: [{ text: 't', indicator: 'yes' }] })
  const message = 'case 1 (p): cannot run: "indicator" holds text, not true or false'
  expect(await said(folder, 'field-type')).toEqual([[message, 'write true or false, or remove the field']])
  expect(await said(folder, 'criteria-missing')).toEqual([])
})

test('a weight that is not above 0', async () => {
  const folder = caseOf({ prompt: 'p', expectations: [{ text: 't', weight: 0 }] })
  const message = 'case 1 (p): cannot run: "weight" holds 0, not a number above 0'
  expect(await said(folder, 'field-type')).toEqual([[message, 'write a number above 0, or remove the field']])
  expect(await said(folder, 'criteria-missing')).toEqual([])
})

test('a misspelt event of a hook', async () => {
  const folder = caseOf({ prompt: 'p', environment: { hooks: { PreToolUs: [{ hooks: [{ command: 'true' }] }] } } })
  expect(await said(folder, 'field-misspelt')).toEqual([
    [expect.stringContaining('(did you mean "PreToolUse"?)'), 'fix the name, or remove the field'],
  ])
})

test('a slip in a golden test is named, not a prompt that would be missing', async () => {
  const agent = folderOf({
    'persona/IDENTITY.md': 'You are A.',
    'evals/rubric.md': '---\nweights: { care: 100 }\ncolour: red\n---\nBe exact.\n',
    'evals/judge.md': '---\nstrict_mode: true\n---\nJudge.\n',
    'evals/golden/happy/1.md': '---\ntest_id: a\ncategory: happy\nexpected_fcts: []\n---\n## Input\nRent?\n',
  })
  const { problems } = await checkSkill(`${agent}/evals`)
  expect(problems.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual([
    'error field-misspelt',
    'warning not-read',
  ])
})

test.each([
  ['name: sums\nname: sums', 'remove one of the lines with this key'],
  ['name: sums\nmetadata:\n\tversion: "1"', 'indent with spaces'],
  ['name: sums\ndescription: a: b', 'quote values that contain ": ", and write each key: value on its own line'],
  ['name: sums\ndescription: "a', 'close the quote'],
  ['name: sums\ndescription: *a', 'quote values that begin with * or &'],
  ['name: sums\ndescription: @a', 'quote the value'],
])('frontmatter-yaml: %j', async (front, fix) => {
  const found = await said(folderOf({ 'SKILL.md': `---\n${front}\n---\nAdd.\n` }), 'frontmatter-yaml')
  expect(found.map(([, words]) => words)).toEqual([fix])
})

test.each<[object, string]>([
  [{ git: 'main' }, '$.evals[0].git case 1 (p): must be true or { "bundle": "<path>" }'],
  [
    { environment: { hooks: 1 } },
    '$.evals[0].environment.hooks case 1 (p): must be hooks by event, or the path of their file',
  ],
  [
    { checks: [{ type: 'json_schema', schema: 1 }] },
    '$.evals[0].checks[0].schema case 1 (p): must be a JSON Schema: an object, true or false',
  ],
])('own-field: %j', async (change, words) => {
  const found = (await checkSkill(caseOf({ prompt: 'p', ...change }))).problems.filter(
    (one) => one.rule === 'own-field',
  )
  expect(found.map(({ at, message }) => `${at} ${message}`)).toEqual([words])
})

test.each<[object, string]>([
  [
    { type: 'regex', pattern: 'x', target: 'file:x' },
    'regex is not read: its target must be last_message or { source: file, path: … }',
  ],
  [{ type: 'regex' }, 'regex is not read: its pattern must be text'],
  [{ type: 'file_exists', path: '' }, 'file_exists is not read: its path must not be empty'],
  [{ type: 'tool_used', tool: 'Bash', min: -1 }, 'tool_used is not read: its min must be a whole number, 0 or more'],
])('a grader of a plugin: %j', async (grader, words) => {
  const file = { schema_version: '1.0', prompt: 'p', graders: [{ type: 'llm', criteria: 'x' }, grader] }
  const folder = folderOf({ 'SKILL.md': skillText, 'evals/a/case.yaml': JSON.stringify(file) })
  expect((await said(folder, 'case-cannot-run')).map(([message]) => message)).toEqual([
    expect.stringContaining(`a grader of type ${words}`),
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

test('a script that is missing is no noun', async () => {
  const folder = folderOf({ 'SKILL.md': `${skillText}\nRun \`node scripts/total.mjs\`.\n` })
  const message = 'SKILL.md calls scripts/total.mjs, which does not exist'
  expect(await said(folder, 'script-missing')).toMatchObject([[message, expect.any(String)]])
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
