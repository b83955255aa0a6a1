/** What `bench` is given and looks at before it starts: places that a glob brought along, skills without frontmatter, instructions above the temporary folder, models that can't be asked. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { UserError } from '../../../src/base/errors/error.ts'
import { refuseStrayInstructions } from '../../../src/flows/prepare/check_start.ts'
import { preflight } from '../../../src/flows/prepare/preflight.ts'
import { resolveSkillFolder } from '../../../src/flows/prepare/prepare_bench.ts'
import { resolveSkills } from '../../../src/flows/prepare/resolve_skills.ts'
import { readNamedSkill, readSkill, type SkillNaming } from '../../../src/phases/1-plan/skill/read_skill.ts'
import { fresh } from '../../e2e/program.ts'
import { practice } from '../../engines/stage.ts'
import { folderOf, skillText, userError } from '../../phases/1-plan/folder.ts'
import { contextAt } from '../eval/evaluate.ts'

const evals = '[{ "prompt": "p" }]'
const files = {
  'a/SKILL.md': skillText,
  'b/SKILL.md': skillText,
  'README.md': 'Skills.',
  'package.json': '{}',
  'tool.ts': 'export {}',
  'cases.json': evals,
  'evals.json': '{',
  'cases.ts': '/**\n * @eval\n * ## one\n */\nexport {}',
  'asked.json': '{ "asked": [{ "prompt": "p" }] }',
  'broken.json': '{ "cases": {} }',
  'halved.json': '{ "evals": [',
  'tsconfig.json': '{ // what is built\n}',
  'empty.json': '',
  'index.json': '[{ "name": "a", "path": "a" }]',
  'names.json': '["a", "b"]',
  'retrieval.json': '{ "items": [{ "message": "m" }] }',
  'globs.json': '{ "tests": "src/**", "evals": ["a"] }',
  'skill-evals.json': '{',
  'evals/package.json': '{}',
}

test.each<[string[], string[], [string, string][]]>([
  [['a', 'b'], ['a', 'b'], []],
  [['README.md', 'a', 'b'], ['a', 'b'], [['README.md', 'file']]],
  [
    ['a', 'package.json', 'tool.ts'],
    ['a'],
    [
      ['package.json', 'file'],
      ['tool.ts', 'file'],
    ],
  ],
  [['a', 'a/SKILL.md'], ['a'], [['a/SKILL.md', 'named before']]],
  [['a/SKILL.md', 'b', 'a'], ['a/SKILL.md', 'b'], [['a', 'named before']]],
  [['a', 'gone'], ['a', 'gone'], []],
  [['a', 'cases.json', 'evals.json'], ['a', 'cases.json', 'evals.json'], []],
  [['a', 'cases.ts', 'asked.json', 'broken.json'], ['a', 'cases.ts', 'asked.json', 'broken.json'], []],
  [
    ['a', 'halved.json', 'skill-evals.json', 'evals/package.json'],
    ['a', 'halved.json', 'skill-evals.json', 'evals/package.json'],
    [],
  ],
  ...['tsconfig.json', 'empty.json', 'index.json', 'names.json', 'retrieval.json', 'globs.json'].map(
    (name): [string[], string[], [string, string][]] => [['a', name], ['a'], [[name, 'file']]],
  ),
  [['README.md'], ['README.md'], []],
  [['[ab]'], ['a', 'b'], []],
  [['{a,b}', 'b'], ['a', 'b'], [['b', 'named before']]],
  [['x*'], ['x*'], []],
])('%j', async (given, skills, over) => {
  const root = folderOf(files)
  const at = (name: string) => path.join(root, name)
  const found = await resolveSkills(given.map(at))
  expect(found.skills).toEqual(skills.map(at))
  expect(found.passedOver).toEqual(
    over.map(([name, why]) => ({ place: at(name), reason: expect.stringContaining(why) })),
  )
})

test.each([
  ['README.md', 'the folder that contains SKILL.md'],
  ['cases.json', '--suite'],
])('%s alone is an error that names it', async (name, fix) => {
  const file = path.join(folderOf(files), name)
  const error = await userError(resolveSkillFolder(file))
  expect(error.message).toBe(`${file}: a file, not a skill folder`)
  expect(error.fix).toContain(fix)
})

test('a SKILL.md stands for its folder', async () => {
  const root = folderOf(files)
  expect(await resolveSkillFolder(path.join(root, 'a/SKILL.md'))).toBe(path.join(root, 'a'))
})

test('a folder that holds skills, and is none: they are named', async () => {
  const root = folderOf(files)
  const error = await userError(readSkill(root))
  const shown = path.relative(process.cwd(), root)
  expect(error.message).toBe(`${root}: no SKILL.md in this folder`)
  expect(error.fix).toBe(`the folder contains skills: pass one, such as ${shown}/a, or all: ${shown}/*`)
  expect((await userError(readSkill(folderOf({ 'x/y.md': '' })))).fix).toBe(
    'add a SKILL.md, or pass the folder that contains one',
  )
})

const skillWith = (text: string) =>
  path.join(folderOf({ 'greet/SKILL.md': text, 'greet/references/a.md': 'A\n' }), 'greet')

const read = (folder: string, naming?: SkillNaming) =>
  readNamedSkill(folder, { links: undefined, naming, target: fresh() })

const both = { name: 'greet', description: 'Says: "hello" # to people' }

describe('a skill whose SKILL.md lacks frontmatter', () => {
  test.each([
    ['no frontmatter', '# Greet\n\nSay hello.\n', both],
    [
      'other fields, Windows line ends and a byte order mark',
      '\uFEFF---\r\nlicense: MIT\r\n---\r\n# Greet\r\n\r\nSay hello.\r\n',
      both,
    ],
    ['a name alone', '---\nname: greet\n---\n# Greet\n\nSay hello.\n', { name: null, description: both.description }],
  ])('%s: agents get a copy with both, the folder stays as it is', async (_what, text, naming) => {
    const folder = skillWith(text)
    const { skill, folder: copy, defects } = await read(folder, naming)
    expect(skill).toMatchObject({ ...both, path: folder })
    expect(defects).toMatchObject([{ file: path.join(folder, 'SKILL.md'), at: 'frontmatter' }])
    expect(defects[0]?.message).toContain(naming.name === null ? 'no description:' : 'no name and no description')
    expect(readFileSync(path.join(copy, 'SKILL.md'), 'utf8')).toContain('# Greet\n\nSay hello.')
    expect(readFileSync(path.join(copy, 'references/a.md'), 'utf8')).toBe('A\n')
    expect(readFileSync(path.join(folder, 'SKILL.md'), 'utf8')).toBe(text)
  })

  test('another naming is another version', async () => {
    const folder = skillWith('# Greet\n')
    const one = await read(folder, both)
    const other = await read(folder, { ...both, description: 'Greets.' })
    expect(one.skill.sha256).not.toBe(other.skill.sha256)
    expect((await read(folder, both)).skill.sha256).toBe(one.skill.sha256)
  })

  test('control: without a naming it is refused, and a complete one needs none', async () => {
    await expect(read(skillWith('# Greet\n'))).rejects.toThrow('no frontmatter')
    const folder = skillWith('---\nname: greet\ndescription: Greets.\n---\n# Greet\n')
    expect(await read(folder, { name: null, description: null })).toMatchObject({ folder, defects: [] })
  })

  test('mistakes name the author’s file, not the copy', async () => {
    const complete = skillWith('---\nname: greet\ndescription: Greets.\n---\n# Greet\n')
    await expect(read(complete, both)).rejects.toThrow(`--name: ${complete}/SKILL.md has a name already`)
    const folder = skillWith('# Greet\n')
    await expect(read(folder, { name: 'greet', description: null })).rejects.toThrow(
      `${folder}/SKILL.md: the frontmatter has no description`,
    )
    await expect(read(folder, { name: 'a/b', description: 'x' })).rejects.toThrow("can't be a folder name")
  })
})

const roomBelow = (file: string) => path.join(folderOf({ [file]: 'x' }), 'tmp/room')

describe('refuses', () => {
  test.each([
    'CLAUDE.md',
    'tmp/CLAUDE.md',
    'CLAUDE.local.md',
    'AGENTS.md',
    '.claude/CLAUDE.md',
    'tmp/.claude/skills/other/SKILL.md',
    '.agents/skills/other/SKILL.md',
    '.claude/rules/house.md',
    '.claude/agents/reviewer.md',
    '.claude/commands/go.md',
    'opencode.json',
    'tmp/opencode.jsonc',
    '.opencode/agent/reviewer.md',
    '.github/skills/other/SKILL.md',
    '.github/copilot-instructions.md',
    'QWEN.md',
    '.qwen/skills/a/SKILL.md',
  ])('%s above the room', async (file) => {
    const attempt = refuseStrayInstructions(roomBelow(file))
    await expect(attempt).rejects.toThrow(UserError)
    await expect(attempt).rejects.toThrow(expect.objectContaining({ fix: expect.stringContaining('TMPDIR') }))
  })
})

describe('leaves alone', () => {
  test.each([
    'README.md',
    '.claude/settings.json',
    '.github/workflows/ci.yml',
    'tmp/room/CLAUDE.md',
    'other/CLAUDE.md',
  ])('%s', async (file) => {
    await expect(refuseStrayInstructions(roomBelow(file))).resolves.toBeUndefined()
  })
})

test.each([
  ['openai', '--model', 'engine openai: ', 'set --model to one of practice-1'],
  ['openai', '--judge', 'judge openai: ', 'set --judge to one of practice-1'],
  ['anthropic', '--judge', 'judge anthropic: ', 'set --judge to one of practice-1'],
  ['anthropic', '--proposer', 'proposer anthropic: ', 'set --proposer to one of practice-1'],
])('an unknown model of %s for %s', async (name, flag, start, fix) => {
  await using server = await practice('models: [practice-1]\nrules: [{ name: a, answer: { text: a } }]')
  const env = {
    ...{ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${server.url}/v1` },
    ...{ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url },
  }
  const good = { name, model: 'practice-1' }
  const asked = { '--model': good, [flag]: { name, model: 'nobody-9' } }
  const error = await userError(preflight(asked, [], contextAt(undefined, env)))
  expect(error.message).toMatch(new RegExp(`^${start}.* does not know the model "nobody-9"$`))
  expect(error.fix).toBe(fix)
})

test.each([
  ['anthropic', true, 'check the network, the proxy settings and --base-url'],
  ['anthropic', false, 'check the network, the proxy settings and ANTHROPIC_BASE_URL'],
  ['openai', true, 'check the network, the proxy settings, --base-url'],
  ['openai', false, 'check the network, the proxy settings, OPENAI_BASE_URL and --base-url'],
])('where nobody is at the server of %s, given by the flag: %s', async (name, isFlag, fix) => {
  const base_url = 'http://127.0.0.1:9'
  const env = {
    ...{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' },
    ...(isFlag ? {} : { OPENAI_BASE_URL: base_url, ANTHROPIC_BASE_URL: base_url }),
  }
  const choice = { name, model: 'm', ...(isFlag && { base_url }) }
  const told = preflight({ '--model': choice }, [], contextAt(undefined, env))
  await expect(told).rejects.toMatchObject({ message: expect.stringContaining("can't reach http://127.0.0.1:9"), fix })
})
