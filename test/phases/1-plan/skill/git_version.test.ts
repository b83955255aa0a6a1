/** A skill at a git ref, in the clones that people and CI systems have: the right version, or a message with the command that helps. */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exportGitVersion } from '../../../../src/phases/1-plan/skill/git_version.ts'
import { folderOf, skillText, userError } from '../folder.ts'

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const body = `${skillText}${Array.from({ length: 20 }, (_, line) => `Rule ${line}.\n`).join('')}`

/** main has the skill as "one", the branch feature as "two". */
function repository(): string {
  const repo = folderOf({
    'skills/sums/SKILL.md': body,
    'skills/sums/a.txt': 'one',
    'skills/sums/evals/evals.json': '{}',
    '.gitattributes': '*.txt export-ignore\n',
  })
  git(repo, 'init', '--quiet', '--initial-branch=main')
  git(repo, 'add', '.')
  git(repo, 'commit', '--quiet', '-m', 'one')
  git(repo, 'checkout', '--quiet', '-b', 'feature')
  writeFileSync(path.join(repo, 'skills/sums/a.txt'), 'two')
  git(repo, 'commit', '--quiet', '-am', 'two')
  return repo
}

/** A clone with the given options. */
function cloneOf(repo: string, ...options: string[]): string {
  const clone = path.join(folderOf({}), 'clone')
  git(path.dirname(clone), 'clone', '--quiet', ...options, `file://${repo}`, clone)
  return clone
}

const skillIn = (repo: string) => path.join(repo, 'skills/sums')
const newTarget = () => path.join(folderOf({}), 'old')

async function exportAt(folder: string, ref: string) {
  const target = newTarget()
  const version = await exportGitVersion({ folder, ref, target })
  const file = path.join(target, 'a.txt')
  return { ...version, content: existsSync(file) ? readFileSync(file, 'utf8') : null }
}

test.each(['main', 'HEAD~1'])('%s: the folder as it was, whatever is export-ignore', async (ref) => {
  const target = newTarget()
  await exportGitVersion({ folder: skillIn(repository()), ref, target })
  const files = readdirSync(target, { recursive: true }).sort()
  expect(files).toEqual(['SKILL.md', 'a.txt', 'evals', 'evals/evals.json'])
  expect(readFileSync(path.join(target, 'a.txt'), 'utf8')).toBe('one')
})

test('work tree and index of the repository stay as they are', async () => {
  const repo = repository()
  writeFileSync(path.join(repo, 'skills/sums/a.txt'), 'three')
  const before = git(repo, 'status', '--porcelain')
  await exportAt(skillIn(repo), 'main')
  expect(git(repo, 'status', '--porcelain')).toBe(before)
  expect(readFileSync(path.join(repo, 'skills/sums/a.txt'), 'utf8')).toBe('three')
})

test('a hook of the repository does not run', async () => {
  const repo = repository()
  const mark = path.join(repo, 'hook-ran')
  const hook = path.join(repo, '.git/hooks/post-index-change')
  mkdirSync(path.dirname(hook), { recursive: true })
  writeFileSync(hook, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
  await exportAt(skillIn(repo), 'main')
  expect(existsSync(mark)).toBe(false)
  git(repo, 'read-tree', 'main')
  expect(existsSync(mark)).toBe(true)
})

test('GIT_DIR of the caller (a hook sets it) names no other repository', async () => {
  const repo = repository()
  process.env.GIT_DIR = path.join(repo, 'none')
  onTestFinished(() => {
    delete process.env.GIT_DIR
  })
  expect(await exportAt(skillIn(repo), 'main')).toMatchObject({ content: 'one' })
})

test('a skill that is the repository itself', async () => {
  const repo = folderOf({ 'SKILL.md': body, 'a.txt': 'one' })
  git(repo, 'init', '--quiet')
  git(repo, 'add', '.')
  git(repo, 'commit', '--quiet', '-m', 'one')
  expect(await exportAt(repo, 'HEAD')).toMatchObject({ content: 'one' })
})

test.each([
  ['featur', 'did you mean "feature"'],
  ['HEDA', 'did you mean "HEAD"'],
  ['--output=/tmp/x.txt', 'expected one of'],
])('an unknown ref, %s, is no ref: %s', async (ref, fix) => {
  const error = await userError(exportAt(skillIn(repository()), ref))
  expect(error.message).toMatch(/^--baseline git:\S+: no such ref in /)
  expect(error.fix).toContain(fix)
})

test('no repository', async () => {
  const error = await userError(exportAt(folderOf({ 'SKILL.md': skillText }), 'v1'))
  expect(error.message).toMatch(/: not in a git repository \(/)
})

test('a worktree, whose .git is a file', async () => {
  const repo = repository()
  const tree = path.join(folderOf({}), 'tree')
  git(repo, 'worktree', 'add', '--quiet', tree, '-b', 'other')
  expect(await exportAt(skillIn(tree), 'main')).toEqual({ existed: true, notes: [], content: 'one' })
})

test('a worktree whose repository was moved', async () => {
  const repo = repository()
  const tree = path.join(folderOf({}), 'tree')
  git(repo, 'worktree', 'add', '--quiet', tree, '-b', 'other')
  renameSync(repo, `${repo}-moved`)
  const error = await userError(exportAt(skillIn(tree), 'main'))
  expect(error.message).toMatch(/^--baseline git:main: the worktree's repository does not exist \(/)
  expect(error.fix).toBe('git worktree repair')
})

test('a branch that only origin has is used, with a note', async () => {
  const clone = cloneOf(repository(), '--branch', 'feature')
  expect(await exportAt(skillIn(clone), 'main')).toEqual({
    existed: true,
    notes: ['--baseline git:main: main is not a ref here; origin/main is used'],
    content: 'one',
  })
  expect(await exportAt(skillIn(clone), 'origin/main')).toMatchObject({ notes: [], content: 'one' })
})

describe('a clone without the commit', () => {
  test.each([
    ['main', 'git fetch --depth 1 origin +main:refs/remotes/origin/main'],
    ['origin/main', 'git fetch --depth 1 origin +main:refs/remotes/origin/main'],
  ])('shallow, %s: the command that is named helps', async (ref, command) => {
    const clone = cloneOf(repository(), '--branch', 'feature', '--depth', '1')
    const error = await userError(exportAt(skillIn(clone), ref))
    expect(error.message).toMatch(/: no such ref in /)
    expect(error.fix).toContain(`the clone is shallow: ${command}`)
    git(clone, ...command.split(' ').slice(1))
    expect(await exportAt(skillIn(clone), ref)).toMatchObject({ existed: true, content: 'one' })
  })
  test('shallow, an older commit', async () => {
    const clone = cloneOf(repository(), '--branch', 'feature', '--depth', '1')
    expect((await userError(exportAt(skillIn(clone), 'HEAD~1'))).fix).toMatch(
      /^the clone is shallow: git fetch --unshallow/,
    )
    git(clone, 'fetch', '--quiet', '--unshallow')
    expect(await exportAt(skillIn(clone), 'HEAD~1')).toMatchObject({ content: 'one' })
  })
  test('of a single branch', async () => {
    const clone = cloneOf(repository(), '--branch', 'feature', '--single-branch')
    const { fix } = await userError(exportAt(skillIn(clone), 'release'))
    expect(fix).toBe('if origin has it: git fetch --depth 1 origin +release:refs/remotes/origin/release')
  })
})

test('a repository of another user names the setting of git', async () => {
  const repo = repository()
  const bin = folderOf({ git: '#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "$REAL_GIT" "$@"\n' })
  chmodSync(path.join(bin, 'git'), 0o755)
  const before = process.env.PATH
  process.env.REAL_GIT = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  process.env.PATH = `${bin}:${before}`
  onTestFinished(() => {
    process.env.PATH = before
    delete process.env.REAL_GIT
  })
  const error = await userError(exportAt(skillIn(repo), 'main'))
  expect(error.message).toMatch(/^--baseline git:main: git refuses the repository because another user owns it \(/)
  expect(error.fix).toMatch(/^git config --global --add safe\.directory \//)
})

describe('a skill that is not there at the ref', () => {
  test('is new, and nothing is written', async () => {
    const repo = repository()
    mkdirSync(path.join(repo, 'skills/other'))
    writeFileSync(
      path.join(repo, 'skills/other/SKILL.md'),
      '---\nname: other\ndescription: Else.\n---\nNothing alike.\n',
    )
    expect(await exportAt(path.join(repo, 'skills/other'), 'main')).toEqual({
      existed: false,
      notes: ['new skill: it did not exist at main, so the baseline runs without a skill'],
      content: null,
    })
  })
  test('is new if its folder had only a suite', async () => {
    const repo = repository()
    rmSync(path.join(repo, 'skills/sums/SKILL.md'))
    git(repo, 'commit', '--quiet', '-am', 'gone')
    writeFileSync(path.join(repo, 'skills/sums/SKILL.md'), body)
    expect(await exportAt(skillIn(repo), 'HEAD')).toMatchObject({ existed: false })
  })
  test('is compared with its version at the place it was moved from', async () => {
    const repo = repository()
    git(repo, 'mv', 'skills/sums', 'skills/totals')
    writeFileSync(path.join(repo, 'skills/totals/SKILL.md'), body.replace('name: sums', 'name: totals'))
    git(repo, 'add', '.')
    const moved = await exportAt(path.join(repo, 'skills/totals'), 'main')
    expect(moved).toEqual({
      existed: true,
      notes: ['moved skill: at main it was in skills/sums/, the baseline'],
      content: 'one',
    })
  })
  test('a copy is new: the skill it was copied from still exists', async () => {
    const repo = repository()
    mkdirSync(path.join(repo, 'skills/copy'))
    writeFileSync(path.join(repo, 'skills/copy/SKILL.md'), body)
    git(repo, 'add', '.')
    expect(await exportAt(path.join(repo, 'skills/copy'), 'main')).toMatchObject({ existed: false })
  })
})
