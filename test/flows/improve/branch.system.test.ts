/** --branch in real repositories: one commit on a new branch, and nothing else of the user's changes. */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { UserError } from '../../../src/base/errors/error.ts'
import { listPlainFiles } from '../../../src/base/fs/files.ts'
import { checkBranch, commitBranch } from '../../../src/flows/improve/branch.ts'
import { fresh } from '../../e2e/program.ts'

const skillText = '---\nname: adder\ndescription: Adds.\n---\n\nRun scripts/add.sh.\n'

type Files = Record<string, string | null>

/** null: no such file; a name that ends in `.sh` is executable. */
function write(folder: string, files: Files): string {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    if (text === null) rmSync(file)
    else writeFileSync(file, text)
    if (text !== null && name.endsWith('.sh')) chmodSync(file, 0o755)
  }
  return folder
}

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd()
}

const first: Files = { 'SKILL.md': skillText, 'scripts/add.sh': 'echo 1\n', 'old.md': 'old\n', 'data/a b.txt': 'é\n' }

interface Place {
  repo: string
  skill: string
  base: string
}

const template: { repo?: string } = {}

/** A repository with the skill at `at`, and v0 with the same files. `more`: further files of the repository. */
function openRepo({ at = 'skills/adder', more = {} as Files, files = first } = {}): Place {
  if (at !== 'skills/adder' || files !== first || Object.keys(more).length > 0) return createRepo({ at, more, files })
  template.repo ??= createRepo({ at, more, files }).repo
  const repo = fresh()
  cpSync(template.repo, repo, { recursive: true })
  return { repo, skill: path.join(repo, at), base: write(fresh(), files) }
}

function createRepo({ at, more, files }: { at: string; more: Files; files: Files }): Place {
  const repo = fresh()
  const skill = path.join(repo, at)
  git(repo, 'init', '--quiet', '--initial-branch=main')
  git(repo, 'config', 'user.name', 'Ada')
  git(repo, 'config', 'user.email', 'ada@localhost')
  write(skill, { ...files, 'evals/evals.json': '{}\n' })
  write(repo, more)
  git(repo, 'add', '--all')
  git(repo, 'commit', '--quiet', '-m', 'one')
  return { repo, skill, base: write(fresh(), files) }
}

const change = (files: Files) => write(write(fresh(), first), files)
const message = 'Improve adder\n\nBetter.\n'

/** Everything that the commit must not touch: files, index, branch and stash. */
function snapshot({ repo }: Pick<Place, 'repo'>) {
  const files = listPlainFiles(repo).filter((file) => !/\/\.git\/(objects|refs|logs)\//.test(file))
  return {
    files: files.map((file) => [file, readFileSync(file, 'base64')]),
    status: git(repo, 'status', '--porcelain', '--ignored'),
    head: [git(repo, 'symbolic-ref', 'HEAD'), git(repo, 'rev-parse', 'HEAD')],
  }
}

const show = (repo: string, range: string) => git(repo, 'diff', '--raw', '--no-abbrev', '--no-renames', range)

test('one commit has the files of the version; working tree, index and current branch are as they were', async () => {
  const place = openRepo({ more: { 'README.md': 'readme\n' } })
  write(place.repo, { 'README.md': 'changed\n', 'skills/adder/evals/evals.json': '{"mine": 1}\n', 'new.txt': 'new\n' })
  git(place.repo, 'add', 'new.txt')
  const before = snapshot(place)
  const version = change({ 'scripts/add.sh': 'echo 2\n', 'old.md': null, 'references/how.md': 'how\n' })
  const commit = await commitBranch({ name: 'improve/adder', skill: place.skill }, { ...place, version, message })
  expect(snapshot(place)).toEqual(before)
  const { repo } = place
  expect(git(repo, 'rev-parse', 'improve/adder')).toBe(commit)
  expect(git(repo, 'diff', '--name-status', 'main..improve/adder').split('\n')).toEqual([
    'D\tskills/adder/old.md',
    'A\tskills/adder/references/how.md',
    'M\tskills/adder/scripts/add.sh',
  ])
  expect(git(repo, 'log', '--format=%an %P%n%B', 'main..improve/adder')).toBe(
    `Ada ${git(repo, 'rev-parse', 'main')}\n${message}`.trimEnd(),
  )
  expect(git(repo, 'show', 'improve/adder:skills/adder/evals/evals.json')).toBe('{}')
  expect(git(repo, 'fsck', '--strict')).toBe('')
})

test('executable bits are kept and set, and one alone is a change', async () => {
  const place = openRepo()
  const commit = async (name: string, version: string) => {
    await commitBranch({ name, skill: place.skill }, { ...place, version, message })
    return show(place.repo, `main..${name}`)
  }
  expect(await commit('kept', change({ 'scripts/add.sh': 'echo 2\n' }))).toContain(':100755 100755 ')
  expect(await commit('set', change({ 'data/a b.txt': 'x\n', 'data/run.sh': 'echo\n' }))).toContain(':000000 100755 ')
  const version = change({})
  chmodSync(path.join(version, 'old.md'), 0o755)
  expect(await commit('alone', version)).toMatch(/^:100644 100755 (\w+) \1 M\tskills\/adder\/old\.md$/)
})

test('a skill at the top of its repository, from a worktree', async () => {
  const place = openRepo({ at: '.' })
  const tree = path.join(fresh(), 'tree')
  git(place.repo, 'worktree', 'add', '--quiet', '-b', 'side', tree)
  const version = change({ 'SKILL.md': `${skillText}More.\n` })
  await commitBranch({ name: 'b', skill: tree }, { ...place, version, message })
  expect(git(place.repo, 'diff', '--name-status', 'side..b')).toBe('M\tSKILL.md')
  expect([git(tree, 'status', '--porcelain'), git(tree, 'symbolic-ref', 'HEAD')]).toEqual(['', 'refs/heads/side'])
})

test('filters of the repository apply as with git add', async () => {
  const place = openRepo({ more: { '.gitattributes': '*.md text eol=lf\n' } })
  const version = change({ 'old.md': 'two\r\nlines\r\n' })
  await commitBranch({ name: 'b', skill: place.skill }, { ...place, version, message })
  expect(git(place.repo, 'show', 'b:skills/adder/old.md')).toBe('two\nlines')
})

test('a link to a folder stays, unless a file behind it changed: then it is a folder', async () => {
  const files: Files = { ...first, 'data/c.txt': 'c\n' }
  const place = openRepo({ files })
  symlinkSync('data', path.join(place.skill, 'linked'))
  git(place.repo, 'add', '--all')
  git(place.repo, 'commit', '--quiet', '-m', 'link')
  const copies: Files = { ...files, 'linked/a b.txt': 'é\n', 'linked/c.txt': 'c\n' }
  const base = write(fresh(), copies)
  const commit = async (name: string, changes: Files) => {
    const version = write(write(fresh(), copies), changes)
    await commitBranch({ name, skill: place.skill }, { base, version, message })
    return git(place.repo, 'diff', '--no-renames', '--name-status', `main..${name}`).split('\n')
  }
  expect(await commit('stays', { 'old.md': 'new\n' })).toEqual(['M\tskills/adder/old.md'])
  expect(await commit('folder', { 'linked/c.txt': 'd\n' })).toEqual([
    'D\tskills/adder/linked',
    'A\tskills/adder/linked/a b.txt',
    'A\tskills/adder/linked/c.txt',
  ])
  expect(await commit('gone', { 'linked/a b.txt': null, 'linked/c.txt': null })).toEqual(['D\tskills/adder/linked'])
})

describe('refused', () => {
  const places: Place[] = []
  /** One repository for all, which nothing changes, with another branch. */
  const branched = (): Place => {
    const [place = openRepo()] = places
    if (places.push(place) > 1) return place
    git(place.repo, 'branch', 'side/one')
    git(place.repo, 'pack-refs', '--all')
    return place
  }
  const refusal = async (place: Place, name = 'b') => {
    const error: unknown = await checkBranch({ name, skill: place.skill }, place.skill).catch((one: unknown) => one)
    return error instanceof UserError ? `${error.message} | ${error.fix}` : error
  }

  test('control: a clean skill is not, nor are changes outside of it, of its suite, or ignored files', async () => {
    const place = openRepo({ more: { 'README.md': 'a\n', '.gitignore': '*.pyc\n' } })
    write(place.repo, { 'README.md': 'b\n', 'skills/adder/evals/evals.json': '{"a": 1}', 'skills/adder/x.pyc': 'x' })
    expect(await refusal(place)).toMatchObject({ prefix: 'skills/adder/' })
  })

  test('files that are not as in the last commit; committed, they are', async () => {
    const place = openRepo()
    const changes: Files[] = [{ 'scripts/add.sh': 'echo 3\n' }, { 'new.md': 'x' }, { 'old.md': null }]
    for (const files of changes) {
      write(place.skill, files)
      const [file] = Object.keys(files)
      const said = `^--branch b: skills/adder/${file} is not as in the last commit .*\\| commit or undo that change first`
      expect(await refusal(place)).toMatch(new RegExp(said))
      git(place.repo, 'add', '--all')
      git(place.repo, 'commit', '--quiet', '-m', 'more')
    }
    expect(await refusal(place)).toMatchObject({ prefix: 'skills/adder/' })
  })

  test('an executable bit that the last commit lacks, unless the repository ignores such bits', async () => {
    const place = openRepo()
    chmodSync(path.join(place.skill, 'old.md'), 0o755)
    expect(await refusal(place)).toMatch(/old\.md is not as in the last commit/)
    git(place.repo, 'config', 'core.fileMode', 'false')
    expect(await refusal(place)).toMatchObject({ prefix: 'skills/adder/' })
  })

  test.each([
    ['main', /this branch exists already/],
    ['main/b', /the branch main leaves no place for it/],
    ['side', /the branch side\/one leaves no place for it/],
    ['-d', /"-d": invalid name of a branch/],
    ['HEAD', /invalid name of a branch/],
    ['a..b', /invalid name of a branch/],
    ['', /invalid name of a branch/],
  ])('the name "%s"', async (name, reason) => expect(await refusal(branched(), name)).toMatch(reason))

  test('a folder without a repository, and repositories without a commit of the skill', async () => {
    const skill = write(fresh(), first)
    expect(await refusal({ repo: skill, skill, base: skill })).toMatch(/not in a git repository .* \| remove --branch/)
    git(skill, 'init', '--quiet')
    expect(await refusal({ repo: skill, skill, base: skill })).toMatch(/has no commit yet \| commit the skill first/)
    const place = openRepo({ more: { '.gitignore': 'own/\n' } })
    const ignored = write(path.join(place.repo, 'own'), first)
    expect(await refusal({ ...place, skill: ignored })).toMatch(/the last commit has no own\/SKILL\.md/)
  })

  test('git without an author', async () => {
    const place = openRepo()
    git(place.repo, 'config', '--unset', 'user.name')
    git(place.repo, 'config', '--unset', 'user.email')
    git(place.repo, 'config', 'user.useConfigOnly', 'true')
    const before = process.env.HOME
    process.env.HOME = fresh()
    const said = await refusal(place).finally(() => {
      process.env.HOME = before
    })
    expect(said).toMatch(/git does not know the author of a commit .* \| run git config user\.name/)
  })

  test('a version of the session that the last commit no longer has', async () => {
    const place = openRepo()
    write(place.skill, { 'old.md': 'later\n' })
    git(place.repo, 'commit', '--quiet', '-a', '-m', 'two')
    const made = commitBranch({ name: 'b', skill: place.skill }, { ...place, version: change({}), message })
    await expect(made).rejects.toThrow(/old\.md is not as in the last commit/)
    expect(git(place.repo, 'branch', '--list', 'b')).toBe('')
  })

  test('hooks of the repository do not run', async () => {
    const place = openRepo()
    const hook = write(path.join(place.repo, '.git/hooks'), { 'x.sh': '#!/bin/sh\ntouch "$GIT_DIR/ran"\nexit 1\n' })
    execFileSync('mv', [path.join(hook, 'x.sh'), path.join(hook, 'reference-transaction')])
    const version = change({ 'old.md': 'new\n' })
    await commitBranch({ name: 'b', skill: place.skill }, { ...place, version, message })
    expect(listPlainFiles(path.join(place.repo, '.git')).filter((file) => file.endsWith('/ran'))).toEqual([])
  })
})
