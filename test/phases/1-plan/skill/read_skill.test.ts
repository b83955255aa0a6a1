/** Skill folders: frontmatter, the files that agents may see, and versions from git. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exportGitVersion } from '../../../../src/phases/1-plan/skill/git_version.ts'
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
    ['more fields', '---\nname: sums\ndescription: Adds up.\nlicense: MIT\nmetadata: { a: 1 }\n---\n', 'Adds up.'],
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
    ['a list', '---\n- a\n---\n', /the frontmatter has no name/],
    ['no name', '---\ndescription: d\n---\n', /the frontmatter has no name/],
    ['no description', '---\nname: sums\n---\n', /the frontmatter has no description/],
    ['empty description', '---\nname: sums\ndescription: ""\n---\n', /the frontmatter has no description/],
    ['a name that is a number', '---\nname: 7\ndescription: d\n---\n', /name must be text, found 7/],
    ['a name that holds itself', '---\nname: &a [*a]\ndescription: d\n---\n', /an anchor that contains itself/],
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
    ['values that want quotes', '---\nname: sums\ndescription: Use it: always\n---\n', /not valid YAML .*line by line/],
  ])('warned: %s', async (_, text, warning) => {
    expect((await read(text)).warnings.join('\n')).toMatch(warning)
  })
  test('values that want quotes are read as they stand', async () => {
    const text = '---\nname: sums\ndescription: Use it: always\n  and more: so\nlicense: MIT\n---\n'
    expect(await read(text)).toMatchObject({ name: 'sums', description: 'Use it: always and more: so' })
  })
  test.each<[string, string, string]>([
    ['a comment', 'name: sums # the name\ndescription: Use it: always # or not', 'Use it: always'],
    ['a comment in each line', 'name: sums\ndescription: Use it: # a\n  always # b', 'Use it: always'],
    [
      'quotes and a comment',
      `name: "sums" # a\ndescription: 'Use it: "always"' # b\nlicense: a: b`,
      'Use it: "always"',
    ],
    ['a # in quotes', 'name: sums\ndescription: "Use it #1"\nlicense: a: b', 'Use it #1'],
    ['a # in a word', 'name: sums\ndescription: Use it: in C# alone', 'Use it: in C# alone'],
  ])('beside a mistake, %s is none of the value', async (_, text, description) => {
    expect(await read(`---\n${text}\n---\n`)).toMatchObject({ name: 'sums', description })
  })
  test('beside a mistake, a comment alone is no name', async () => {
    expect((await userError(read('---\nname: # later\ndescription: a: b\n---\n'))).message).toMatch(/has no name$/)
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
    const hidden = [
      'evals/evals.json',
      'evals/files/a.csv',
      'evals.json',
      'workspaces/x/plan.json',
      '.git/config',
      'node_modules/m/i.js',
      'scripts/node_modules/m/i.js',
      '.DS_Store',
      'scripts/.DS_Store',
      'lib/.git',
    ]
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

describe('a version from git', () => {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { cwd, encoding: 'utf8' })

  /** A repository with the skill in skills/sums: tagged v1, then changed. */
  function repository(): { repo: string; skill: string; target: string } {
    const repo = folderOf({
      'skills/sums/SKILL.md': skillText,
      'skills/sums/scripts/run.sh': 'one',
      'skills/sums/evals/evals.json': '{}',
      '.gitattributes': 'scripts export-ignore\n*.sh export-ignore\n',
      'other.txt': 'x',
    })
    git(repo, 'init', '--quiet', '--initial-branch=main')
    git(repo, 'add', '.')
    git(repo, 'commit', '--quiet', '-m', 'one')
    git(repo, 'tag', 'v1')
    const skill = path.join(repo, 'skills/sums')
    writeFileSync(path.join(skill, 'scripts/run.sh'), 'two')
    writeFileSync(path.join(skill, 'new.md'), 'new')
    git(repo, 'add', '.')
    git(repo, 'commit', '--quiet', '-m', 'two')
    return { repo, skill, target: path.join(folderOf({}), 'old/sums') }
  }

  test.each(['v1', 'HEAD~1', 'main~1'])('%s: the folder as it was, whatever is export-ignore', async (ref) => {
    const { skill, target } = repository()
    await exportGitVersion({ folder: skill, ref, target })
    expect(readdirSync(target, { recursive: true }).sort()).toEqual([
      'SKILL.md',
      'evals',
      'evals/evals.json',
      'scripts',
      'scripts/run.sh',
    ])
    expect(readFileSync(path.join(target, 'scripts/run.sh'), 'utf8')).toBe('one')
  })
  test('work tree and index of the repository stay as they are', async () => {
    const { repo, skill, target } = repository()
    writeFileSync(path.join(skill, 'scripts/run.sh'), 'three')
    const before = git(repo, 'status', '--porcelain')
    await exportGitVersion({ folder: skill, ref: 'v1', target })
    expect(git(repo, 'status', '--porcelain')).toBe(before)
    expect(readFileSync(path.join(skill, 'scripts/run.sh'), 'utf8')).toBe('three')
  })
  test('a hook of the repository does not run', async () => {
    const { repo, skill, target } = repository()
    const mark = path.join(repo, 'hook-ran')
    const hook = path.join(repo, '.git/hooks/post-index-change')
    mkdirSync(path.dirname(hook), { recursive: true })
    writeFileSync(hook, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
    await exportGitVersion({ folder: skill, ref: 'v1', target })
    expect(existsSync(mark)).toBe(false)
    git(repo, 'read-tree', 'v1')
    expect(existsSync(mark)).toBe(true)
  })
  test('GIT_DIR of the caller (a hook sets it) names no other repository', async () => {
    const { skill, target } = repository()
    process.env.GIT_DIR = path.join(target, 'none')
    onTestFinished(() => {
      delete process.env.GIT_DIR
    })
    await exportGitVersion({ folder: skill, ref: 'v1', target })
    expect(readdirSync(target)).toContain('SKILL.md')
  })
  test('a skill that is the repository itself', async () => {
    const { repo, target } = repository()
    writeFileSync(path.join(repo, 'SKILL.md'), skillText)
    git(repo, 'add', '.')
    git(repo, 'commit', '--quiet', '-m', 'three')
    await exportGitVersion({ folder: repo, ref: 'HEAD', target })
    expect(readdirSync(target).sort()).toEqual(['.gitattributes', 'SKILL.md', 'other.txt', 'skills'])
  })
  test('an unknown ref names the nearest', async () => {
    const { skill, target } = repository()
    const error = await userError(exportGitVersion({ folder: skill, ref: 'v2', target }))
    expect(error.message).toMatch(/^--baseline git:v2: no such ref in /)
    expect(error.fix).toMatch(/^did you mean "v1"/)
  })
  test('a mistyped HEAD is known too', async () => {
    const { skill, target } = repository()
    expect((await userError(exportGitVersion({ folder: skill, ref: 'HEDA', target }))).fix).toMatch(
      /^did you mean "HEAD"/,
    )
  })
  test('a ref that looks like an option is only a ref', async () => {
    const { skill, target } = repository()
    const ref = `--output=${target}.txt`
    expect((await userError(exportGitVersion({ folder: skill, ref, target }))).message).toMatch(/no such ref/)
  })
  test('no repository', async () => {
    const root = folderOf({ 'SKILL.md': skillText })
    rmSync(path.join(root, '.git'), { recursive: true, force: true })
    const error = await userError(exportGitVersion({ folder: root, ref: 'v1', target: path.join(root, 'old') }))
    expect(error.message).toMatch(/: not in a git repository \(/)
  })
})
