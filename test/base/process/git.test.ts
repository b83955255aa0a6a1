/** git in a repository of another person: nothing that its own configuration names is started. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runGit } from '../../../src/base/process/git.ts'
import { exportGitVersion } from '../../../src/phases/1-plan/skill/git_version.ts'
import { folderOf } from '../../phases/1-plan/folder.ts'

const author = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b.example',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b.example',
}
const home = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }

/** A repository with a skill whose configuration starts programs, as one from an archive may. */
function makeHostile(driver = 'a=b') {
  const top = folderOf({
    'skill/SKILL.md': '---\nname: s\ndescription: d\n---\n',
    'skill/a.txt': 'one\n',
    '.gitattributes': `* filter=${driver}\n`,
  })
  const marker = path.join(folderOf({}), 'marker')
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: top, env: { ...process.env, ...author, ...home }, stdio: 'pipe' }).toString()
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message=one')
  const start = `touch '${marker}'; cat`
  const hooks = path.join(top, '.git/hooks')
  mkdirSync(hooks, { recursive: true })
  for (const name of ['post-index-change', 'reference-transaction']) {
    writeFileSync(path.join(hooks, name), `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 })
  }
  const included = path.join(top, '.git/more')
  writeFileSync(included, `[filter "${driver}"]\n\tclean = "${start}"\n\tsmudge = "${start}"\n\trequired = true\n`)
  appendFileSync(
    path.join(top, '.git/config'),
    `[core]\n\tfsmonitor = "touch '${marker}'; false"\n[include]\n\tpath = more\n`,
  )
  return { top, git, isStarted: () => existsSync(marker) }
}

/** What Whetstone asks git for. */
const asked: readonly (readonly string[])[] = [
  ['diff', '--name-only', 'HEAD', '--'],
  ['ls-files', '--others', '--exclude-standard'],
  ['hash-object', '--path=skill/a.txt', '--', 'skill/a.txt'],
  ['read-tree', 'HEAD'],
  ['branch', '--no-track', 'other', 'HEAD'],
]

test.each(asked)('git %s starts no program that .git/config names', async (...args) => {
  const { top, isStarted } = makeHostile()
  writeFileSync(path.join(top, 'skill/a.txt'), 'two\n')
  await runGit(top, args, { env: home })
  expect(isStarted()).toBe(false)
})

test('a baseline of an older commit is exported without filters of the repository', async () => {
  const { top, isStarted } = makeHostile()
  const target = folderOf({})
  await exportGitVersion({ folder: path.join(top, 'skill'), ref: 'HEAD', target })
  expect([readFileSync(path.join(target, 'a.txt'), 'utf8'), isStarted()]).toEqual(['one\n', false])
})

test('no program of a filter without a name is started', async () => {
  const { top, isStarted } = makeHostile('')
  await runGit(top, ['hash-object', '--path=skill/a.txt', '--', 'skill/a.txt'], { env: home })
  expect(isStarted()).toBe(false)
})

/** The repository has a submodule whose own configuration starts a program. */
function makeHostileSubmodule() {
  const { top, git } = makeHostile()
  const marker = path.join(folderOf({}), 'marker')
  const inside = path.join(top, 'more/SKILL.md')
  mkdirSync(inside, { recursive: true })
  git('-C', inside, 'init', '--quiet')
  writeFileSync(path.join(inside, 'a.txt'), 'one\n')
  git('-C', inside, 'add', '--all')
  git('-C', inside, 'commit', '--quiet', '--message=one')
  git('-c', 'advice.addEmbeddedRepo=false', 'add', 'more/SKILL.md')
  git('-C', inside, 'config', 'filter.own.clean', `touch '${marker}'; cat`)
  writeFileSync(path.join(inside, '.git/info/attributes'), '* filter=own\n')
  writeFileSync(path.join(inside, 'a.txt'), 'two\n')
  return { top, git, isStarted: () => existsSync(marker) }
}

test.each([
  ['diff', '--name-only', 'HEAD', '--'],
  ['diff', '--name-status', '--find-renames', 'HEAD', '--', ':(glob)**/SKILL.md'],
])('git %s starts no program that the configuration of a submodule names', async (...args) => {
  const { top, isStarted } = makeHostileSubmodule()
  await runGit(top, args, { env: home })
  expect(isStarted()).toBe(false)
})

test('negative control: git alone starts it', () => {
  const { git, isStarted } = makeHostileSubmodule()
  git('diff', '--name-only', 'HEAD', '--')
  expect(isStarted()).toBe(true)
})

test.each([
  ['http.cookieFile', '/home/me/.bashrc', ''],
  ['http.https://git.example/.saveCookies', 'true', 'false'],
  ['http.sslVerify', 'false', 'true'],
  ['http.proxy', 'http://stranger.example', ''],
  ['remote.origin.proxy', 'http://stranger.example', ''],
  ['core.abbrev', '8', '8'], // negative control
])('%s of .git/config: %s becomes "%s"', async (name, value, expected) => {
  const { top, git } = makeHostile()
  git('config', name, value)
  expect(await runGit(top, ['config', name], { env: home })).toBe(expected)
})

test.each(['a=b', ''])('negative control: git alone starts them (filter "%s")', (driver) => {
  const { git, isStarted } = makeHostile(driver)
  git('hash-object', '--path=skill/a.txt', '--', 'skill/a.txt')
  expect(isStarted()).toBe(true)
})
