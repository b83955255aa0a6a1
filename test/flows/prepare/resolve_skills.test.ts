/** The places that `bench` was given: files that a shell's glob brought along, and skills that were named twice. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { resolveSkillFolder } from '../../../src/flows/prepare/prepare_bench.ts'
import { resolveSkills } from '../../../src/flows/prepare/resolve_skills.ts'
import { readSkill } from '../../../src/phases/1-plan/skill/read_skill.ts'
import { folderOf, skillText, userError } from '../../phases/1-plan/folder.ts'

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
