/** Skill folders: frontmatter, and the files that agents may see. */
import { chmodSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { listSkillFiles, readSkill } from '../../../../src/phases/1-plan/skill/read_skill.ts'
import { folderOf, skillText, userError } from '../folder.ts'

test('what agents get the skill without is told', async () => {
  const root = folderOf({ 'sums/SKILL.md': skillText, 'sums/..more.md': 'x', 'sums/evals/evals.json': '{}' })
  const skill = path.join(root, 'sums')
  for (const [name, target] of [
    ['answers', 'evals'],
    ['dangling', 'nowhere'],
    ['up', '.'],
    ['inside.md', '..more.md'],
  ] as const)
    symlinkSync(target, path.join(skill, name))
  const { warnings } = await readSkill(skill)
  expect(warnings.sort((a, b) => a.at.localeCompare(b.at))).toEqual([
    { file: skill, at: 'answers', message: 'a link into a part that is left out: agents get the skill without it' },
    { file: skill, at: 'dangling', message: 'broken link to nowhere: agents get the skill without it' },
    { file: skill, at: 'up', message: 'a link to a folder above it: agents get the skill without it' },
  ])
})

const read = async (text: string) => {
  const root = folderOf({ 'sums/SKILL.md': text })
  const { skill, warnings } = await readSkill(path.join(root, 'sums'))
  return { name: skill.name, description: skill.description, warnings: warnings.map(({ message }) => message) }
}

describe('frontmatter', () => {
  test.each<[string, string, string]>([
    ['plain', '---\nname: sums\ndescription: Adds up.\n---\nbody', 'Adds up.'],
    ['BOM and CRLF', '\uFEFF---\r\nname: sums\r\ndescription: Adds up.\r\n---\r\n', 'Adds up.'],
    ['no body, no last line end', '---\nname: sums\ndescription: Adds up.\n---', 'Adds up.'],
    ['spaces after the dashes', '---  \nname: sums\ndescription: Adds up.\n--- \n', 'Adds up.'],
    ['quoted', '---\nname: "sums"\ndescription: "Use it: always"\n---\n', 'Use it: always'],
    ['folded', '---\nname: sums\ndescription: >\n  Adds\n  up.\n---\n', 'Adds up.'],
    ['dashes in the body', '---\nname: sums\ndescription: Adds up.\n---\na\n---\nb', 'Adds up.'],
  ])('%s', async (_, text, description) => {
    expect(await read(text)).toEqual({ name: 'sums', description, warnings: [] })
  })
  test.each<[string, string, boolean]>([
    ['a link as text', '../../src/sums/SKILL.md', true],
    ['with a line end, as after autocrlf', '../../src/sums/SKILL.md\r\n', true],
    ['a text', 'See ../../src/sums/SKILL.md', false],
  ])('no frontmatter, %s: the fix names git', async (_, text, isLink) => {
    const error = await userError(read(text))
    expect(error.message).toContain('no frontmatter')
    expect(error.fix?.includes('core.symlinks')).toBe(isLink)
  })
  test.each<[string, string, RegExp]>([
    ['none', 'body', /SKILL\.md: no frontmatter/],
    ['not closed', '---\nname: sums\n', /no frontmatter/],
    ['empty', '---\n---\n', /the frontmatter has no name/],
    ['no name', '---\ndescription: d\n---\n', /the frontmatter has no name/],
    ['no description', '---\nname: sums\n---\n', /the frontmatter has no description/],
    ['a name that is a number', '---\nname: 7\ndescription: d\n---\n', /name must be text, found 7/],
    ['a name that holds itself', '---\nname: &a [*a]\ndescription: d\n---\n', /an anchor that contains itself/],
    ['a value that wants quotes', '---\nname: sums\ndescription: Use it: always\n---\n', /is not valid YAML: Nested/],
    ['broken YAML', '---\nname: [\n---\n', /the frontmatter is not valid YAML/],
    ['a name that leads elsewhere', '---\nname: ../x\ndescription: d\n---\n', /can't be a folder name/],
  ])('refused: %s', async (_, text, message) => {
    const error = await userError(read(text))
    expect(error.message).toMatch(message)
    expect(error.message).toMatch(/sums[/\\]SKILL\.md(:\d+:\d+)?: /)
    expect(error.fix).not.toBeNull()
  })
  test.each<[string, string, RegExp]>([
    ['another name than its folder', '---\nname: totals\ndescription: d\n---\n', /its folder is sums/],
    ['a name against the rules', '---\nname: Sums_2\ndescription: d\n---\n', /agents expect 1 to 64/],
    ['a long description', `---\nname: sums\ndescription: ${'d'.repeat(1025)}\n---\n`, /1025 characters/],
  ])('warned: %s', async (_, text, warning) => {
    expect((await read(text)).warnings.join('\n')).toMatch(warning)
  })
})

describe('folders', () => {
  test.each<[string, (root: string) => string, RegExp]>([
    ['no folder', (root) => path.join(root, 'none'), /none: no such folder/],
    ['a file', (root) => path.join(root, 'a.txt'), /a\.txt: not a folder/],
    ['no SKILL.md', (root) => root, /: no SKILL\.md in this folder/],
  ])('refused: %s', async (_, place, message) => {
    const error = await userError(readSkill(place(folderOf({ 'a.txt': '' }))))
    expect(error.message).toMatch(message)
    expect(error.fix).toMatch(/pass the folder that contains (SKILL\.md|one)$/)
  })
})

const seen = async (root: string) => (await listSkillFiles(root)).files.map((file) => file.path)

describe('files that an agent may see', () => {
  test('all but the answer key and what is no part of the skill', async () => {
    const kept = ['SKILL.md', 'assets/evals/a.txt', 'references/r.md', 'scripts/s.mjs']
    const hidden =
      'evals/evals.json evals/files/a.csv evals.json workspaces/x/plan.json .git/config node_modules/m/i.js scripts/node_modules/m/i.js .DS_Store scripts/.DS_Store lib/.git'.split(
        ' ',
      )
    const root = folderOf(Object.fromEntries([...kept, ...hidden].map((name) => [name, name])))
    expect(await seen(root)).toEqual(kept)
  })
  test.each([
    ['evals', 'evals'],
    ['evals/evals.json', 'notes.json'],
  ])('a link to %s is left out', async (target, name) => {
    const root = folderOf({ 'SKILL.md': skillText, 'evals/evals.json': '{}' })
    symlinkSync(target, path.join(root, name === 'evals' ? 'answers' : name))
    expect(await seen(root)).toEqual(['SKILL.md'])
  })
  test('a file that can be executed is another version: agents call it by its path', async () => {
    const folder = folderOf({ 'SKILL.md': skillText, 's.sh': 'echo 1' })
    const of = async (mode: number) => {
      chmodSync(path.join(folder, 's.sh'), mode)
      return (await readSkill(folder)).skill.sha256
    }
    const plain = await of(0o644)
    expect([await of(0o600), await of(0o755), await of(0o644)]).toEqual([
      plain,
      expect.not.stringMatching(plain),
      plain,
    ])
  })
  test('the hash follows what they see and nothing else', async () => {
    const hash = async (files: Record<string, string>) =>
      (await readSkill(folderOf({ 'SKILL.md': skillText, 's.mjs': '1', ...files }))).skill.sha256
    const first = await hash({})
    expect(await hash({ 'evals/evals.json': 'x', 'node_modules/m': 'x' })).toBe(first)
    expect(await hash({ 's.mjs': '2' })).not.toBe(first)
    expect(await hash({ 't.mjs': '1' })).not.toBe(first)
  })
})
