/** --changed: what a branch touches, in real repositories: committed, staged, unstaged, untracked; and the clones that can't say. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { selectChanged } from '../../../src/flows/changes/find_changes.ts'
import { fresh } from '../../e2e/program.ts'
import { folderOf, userError } from '../../phases/1-plan/folder.ts'

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { cwd, stdio: 'pipe' })

const commitAll = (repo: string) => {
  git(repo, 'add', '-A')
  git(repo, 'commit', '--quiet', '-m', 'more')
}

const names = ['a', 'ab', 'c']

const template: { repo?: string } = {}

/** A copy of `template`, which is made once. */
function repository(): string {
  template.repo ??= createRepository()
  const repo = folderOf({})
  cpSync(template.repo, repo, { recursive: true })
  return repo
}

/** Three skills on main, and a branch at main's end. */
function createRepository(): string {
  const repo = fresh()
  const files = folderOf({
    ...Object.fromEntries(names.map((name) => [`skills/${name}/SKILL.md`, `${name}\n`])),
    'skills/a/evals/evals.json': '{}',
    'README.md': 'x',
    '.gitignore': 'ignored.txt\n',
  })
  cpSync(files, repo, { recursive: true })
  git(repo, 'init', '--quiet', '--initial-branch=main')
  commitAll(repo)
  git(repo, 'checkout', '--quiet', '-b', 'feature')
  return repo
}

async function changedIn(repo: string, ref = 'main') {
  const events: FlowEvent[] = []
  const places = names.map((name) => path.join(repo, 'skills', name))
  const wish = { ref, noun: 'skill', listFolders: (place: string) => [place] }
  const changed = await selectChanged(places, wish, { emit: (event) => events.push(event) })
  const [event] = events
  return {
    names: changed.map((one) => path.basename(one)),
    message: event?.type === 'changes_found' ? event.message : '',
  }
}

const inA = (repo: string, file: string) => path.join(repo, 'skills/a', file)

describe('what counts as a change of a', () => {
  test.each<[string, (repo: string) => void, string[]]>([
    ['nothing', () => {}, []],
    [
      'a commit',
      (repo) => {
        writeFileSync(inA(repo, 'SKILL.md'), 'new')
        commitAll(repo)
      },
      ['a'],
    ],
    [
      'a staged change',
      (repo) => {
        writeFileSync(inA(repo, 'SKILL.md'), 'new')
        git(repo, 'add', '-A')
      },
      ['a'],
    ],
    ['an untracked file', (repo) => writeFileSync(inA(repo, 'new.md'), 'new'), ['a']],
    ['an ignored file', (repo) => writeFileSync(inA(repo, 'ignored.txt'), 'new'), []],
    ['its suite', (repo) => writeFileSync(inA(repo, 'evals/evals.json'), '[]'), ['a']],
    ['a deleted file', (repo) => rmSync(inA(repo, 'evals/evals.json')), ['a']],
    [
      'a file moved to another skill',
      (repo) => renameSync(inA(repo, 'evals'), path.join(repo, 'skills/c/evals')),
      ['a', 'c'],
    ],
    [
      'a change that was taken back',
      (repo) => {
        writeFileSync(inA(repo, 'SKILL.md'), 'new')
        commitAll(repo)
        writeFileSync(inA(repo, 'SKILL.md'), 'a\n')
      },
      [],
    ],
    [
      'results of runs',
      (repo) => {
        mkdirSync(inA(repo, 'workspaces'))
        writeFileSync(inA(repo, 'workspaces/x'), '')
      },
      [],
    ],
    ['a file outside the skills', (repo) => writeFileSync(path.join(repo, 'README.md'), 'new'), []],
  ])('%s', async (_, change, expected) => {
    const repo = repository()
    change(repo)
    expect((await changedIn(repo)).names).toEqual(expected)
  })
  test('a commit of main after the branch began is none of the branch', async () => {
    const repo = repository()
    appendFileSync(path.join(repo, 'skills/c/SKILL.md'), 'x')
    commitAll(repo)
    git(repo, 'checkout', '--quiet', 'main')
    appendFileSync(path.join(repo, 'skills/ab/SKILL.md'), 'x')
    commitAll(repo)
    git(repo, 'checkout', '--quiet', 'feature')
    expect((await changedIn(repo)).names).toEqual(['c'])
  })
  test('a skill that is named by a link', async () => {
    const repo = repository()
    writeFileSync(inA(repo, 'SKILL.md'), 'new')
    const link = path.join(folderOf({}), 'link')
    symlinkSync(path.join(repo, 'skills/a'), link)
    const wish = { ref: 'main', noun: 'skill', listFolders: (place: string) => [place] }
    expect(await selectChanged([link], wish, { emit: () => {} })).toEqual([link])
  })
})

describe('refused', () => {
  test('an unknown ref names the nearest', async () => {
    const error = await userError(changedIn(repository(), 'mian'))
    expect(error.message).toMatch(/^--changed mian: no such ref in /)
    expect(error.fix).toBe('did you mean "main"?')
  })
  test('a folder outside git', async () => {
    const repo = folderOf(Object.fromEntries(names.map((name) => [`skills/${name}/SKILL.md`, name])))
    const error = await userError(changedIn(repo))
    expect(error.message).toMatch(/^--changed main: not in a git repository/)
  })
  test('histories without a common commit', async () => {
    const repo = repository()
    git(repo, 'checkout', '--quiet', '--orphan', 'other')
    writeFileSync(path.join(repo, 'README.md'), 'another history')
    commitAll(repo)
    expect((await userError(changedIn(repo))).fix).toBe('name a branch or commit of the same history')
  })
  test('a shallow clone without the merge base; the command that is named helps', async () => {
    const repo = repository()
    for (const branch of ['feature', 'main']) {
      git(repo, 'checkout', '--quiet', branch)
      appendFileSync(path.join(repo, `skills/${branch === 'main' ? 'c' : 'a'}/SKILL.md`), 'x')
      commitAll(repo)
    }
    const clone = path.join(folderOf({}), 'clone')
    git(repo, 'clone', '--quiet', '--depth', '1', '--no-single-branch', '--branch', 'feature', `file://${repo}`, clone)
    const error = await userError(changedIn(clone, 'origin/main'))
    expect(error.message).toMatch(/no common commit of origin\/main and HEAD .*: the clone is shallow$/)
    expect(error.fix).toMatch(/^git fetch --unshallow;/)
    git(clone, 'fetch', '--quiet', '--unshallow')
    expect((await changedIn(clone, 'origin/main')).names).toEqual(['a'])
    expect((await changedIn(clone, 'main')).message).toBe(
      '1 of 3 skills changed since main (main is not a ref here; origin/main is used)',
    )
  })
})
