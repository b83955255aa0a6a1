/** Links inside a skill: what agents get in their place, what is refused, and what ends without a hang. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { exportGitVersion } from '../../../../src/phases/1-plan/skill/git_version.ts'
import { listSkillFiles, readSkill } from '../../../../src/phases/1-plan/skill/read_skill.ts'
import type { SkillLinks } from '../../../../src/phases/1-plan/skill/skill_links.ts'
import { folderOf, skillText, userError } from '../folder.ts'

interface Place {
  root: string
  skill: string
}

/** A skill in skills/sums with these links (path in the skill → target), in a git repository or not. */
function place(links: Readonly<Record<string, string>>, { inGit = false, files = {} } = {}): Place {
  const all = { 'skills/sums/SKILL.md': skillText, 'shared/guide.md': 'guide', 'shared/deep/more.md': 'more', ...files }
  const root = folderOf({ ...all, ...(inGit && { '.git/HEAD': 'ref: refs/heads/main\n' }) })
  const skill = path.join(root, 'skills/sums')
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(path.dirname(path.join(skill, name)), { recursive: true })
    symlinkSync(target, path.join(skill, name))
  }
  return { root, skill }
}

const names = async (skill: string, links?: SkillLinks) =>
  (await listSkillFiles(skill, links)).files.map((file) => file.path)

describe('a link out of the skill', () => {
  test('within its git repository is copied', async () => {
    const { skill } = place({ references: '../../shared' }, { inGit: true })
    await readSkill(skill)
    expect(await names(skill)).toEqual(['SKILL.md', 'references/deep/more.md', 'references/guide.md'])
  })

  test.each<[string, Parameters<typeof place>, SkillLinks | undefined]>([
    ['outside of git', [{ references: '../../shared' }], undefined],
    ['out of the repository', [{ 'bin/sh': '/bin/sh' }, { inGit: true }], undefined],
    ['within the repository, with --links refuse', [{ references: '../../shared' }, { inGit: true }], 'refuse'],
  ])('%s is refused with both ways out', async (_, [links, how], choice) => {
    const { skill } = place(links, how)
    const [name = ''] = Object.keys(links)
    const { message, fix } = await userError(readSkill(skill, choice))
    expect(message).toContain(`${path.join(skill, name)}: a link that leads out of the skill, to /`)
    expect(fix).toMatch(/--links copy, .*or remove the link/)
  })

  test.each(['.venv', 'references'])(
    '%s is copied with --links copy, and the hash covers its content',
    async (name) => {
      const { root, skill } = place({ [name]: '../../shared' })
      const before = (await readSkill(skill, 'copy')).skill.sha256
      expect(await names(skill)).toContain(`${name}/guide.md`)
      writeFileSync(path.join(root, 'shared/guide.md'), 'another guide')
      expect((await readSkill(skill, 'copy')).skill.sha256).not.toBe(before)
    },
  )

  test('a copy of the files is the same version as the link', async () => {
    const linked = place({ 'guide.md': '../../shared/guide.md' })
    const plain = place({}, { files: { 'skills/sums/guide.md': 'guide' } })
    const [a, b] = [await readSkill(linked.skill, 'copy'), await readSkill(plain.skill)]
    expect(a.skill.sha256).toBe(b.skill.sha256)
  })

  test.each<[string, Record<string, string>]>([
    ['a folder with the skill', { up: '../..' }],
    ['the answers of another skill', { other: '../other/evals' }],
    ['the .git folder', { git: '../../.git' }],
  ])('to %s is refused even with --links copy', async (_, links) => {
    const { skill } = place(links, { inGit: true, files: { 'skills/other/evals/evals.json': '{}' } })
    const { fix } = await userError(readSkill(skill, 'copy'))
    expect(fix).toMatch(/^remove the link/)
  })

  test('to another skill brings no answers of it', async () => {
    const files = { 'skills/other/SKILL.md': skillText, 'skills/other/evals/evals.json': '{}' }
    const { skill } = place({ other: '../other' }, { inGit: true, files })
    await readSkill(skill)
    expect(await names(skill)).toEqual(['SKILL.md', 'other/SKILL.md'])
  })

  test('too much behind links is refused, by files and by size', async () => {
    const { root, skill } = place({ data: '../../shared' })
    writeFileSync(path.join(root, 'shared/big'), '')
    truncateSync(path.join(root, 'shared/big'), 201 * 2 ** 20)
    expect((await userError(readSkill(skill, 'copy'))).message).toMatch(/more than 10000 files or 200 MB behind/)
    truncateSync(path.join(root, 'shared/big'), 1)
    await readSkill(skill, 'copy')
    for (let at = 0; at <= 10_000; at += 1) writeFileSync(path.join(root, `shared/deep/${at}`), '')
    expect((await userError(readSkill(skill, 'copy'))).message).toMatch(/more than 10000 files or 200 MB behind/)
  })

  test('folders that link to each other end', async () => {
    const { root, skill } = place({ a: '../../shared' })
    symlinkSync('../shared/deep', path.join(root, 'shared/b'))
    symlinkSync('..', path.join(root, 'shared/deep/back'))
    symlinkSync('itself', path.join(root, 'shared/itself'))
    expect((await listSkillFiles(skill)).files.map((file) => file.path)).toContain('a/b/more.md')
  })
})

describe('a SKILL.md that is a link', () => {
  test.each<[string, SkillLinks | undefined]>([
    ['by default', undefined],
    ['with --links refuse', 'refuse'],
  ])('is followed %s', async (_, choice) => {
    const root = folderOf({ 'src/linked/SKILL.md': skillText, 'skills/sums/evals/evals.json': '{}' })
    const skill = path.join(root, 'skills/sums')
    symlinkSync('../../src/linked/SKILL.md', path.join(skill, 'SKILL.md'))
    const read = await readSkill(skill, choice)
    expect(read.skill.sha256).toBe((await readSkill(place({}).skill)).skill.sha256)
  })

  test('without a target names the link', async () => {
    const root = folderOf({ 'sums/a.md': 'a' })
    symlinkSync('../gone.md', path.join(root, 'sums/SKILL.md'))
    expect((await userError(readSkill(path.join(root, 'sums')))).message).toMatch(
      /link to \.\.\/gone\.md, which is not/,
    )
  })
})

test('a version from git has what its links within the repository led to then', async () => {
  const { root, skill } = place({ references: '../../shared' })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { cwd: root })
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '-m', 'first')
  writeFileSync(path.join(root, 'shared/guide.md'), 'changed')
  const target = path.join(root, 'old')
  await exportGitVersion({ folder: skill, ref: 'HEAD', target })
  expect(readFileSync(path.join(target, 'references/guide.md'), 'utf8')).toBe('guide')
  const refused = exportGitVersion({ folder: skill, ref: 'HEAD', target: path.join(root, 'no'), links: 'refuse' })
  expect((await userError(refused)).message).toMatch(/^--baseline git:HEAD: references: a link that leads out/)
})
