/** A working folder is laid out by a process that no sandbox holds: what a suite brings leads it nowhere else. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { InputFile, Skill } from '../../../../schemas/suite.ts'
import { sha256 } from '../../../../src/base/json/json.ts'
import { SetupError } from '../../../../src/phases/2-run/workspace/symlink_traps.ts'
import { prepareWorkspace, type WorkspaceRequest } from '../../../../src/phases/2-run/workspace/working_folder.ts'

const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'workspace-')))
const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b.example', GIT_CONFIG_GLOBAL: '/dev/null' }
const env = {
  ...{ PATH: process.env.PATH ?? '', HOME: root },
  ...{ ...identity, GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b.example' },
}

function input(name: string, text: string): InputFile {
  const source = path.join(mkdtempSync(path.join(root, 'input-')), 'file')
  writeFileSync(source, text)
  return { path: name, source, kind: 'file', sha256: sha256(text), bytes: text.length }
}

/** A folder of the user's, with a file in it. */
function owned() {
  const folder = mkdtempSync(path.join(root, 'owned-'))
  writeFileSync(path.join(folder, 'SKILL.md'), 'mine')
  return folder
}

/** A bundle of one commit that holds a link. */
function bundleWith(name: string, to: string): string {
  const folder = mkdtempSync(path.join(root, 'repository-'))
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, stdio: 'pipe' })
  git('init', '--quiet', '--initial-branch=main')
  mkdirSync(path.join(folder, path.dirname(name)), { recursive: true })
  symlinkSync(to, path.join(folder, name))
  mkdirSync(path.join(folder, '.agents/skills'), { recursive: true })
  writeFileSync(path.join(folder, '.agents/skills/README'), '')
  git('add', '--all')
  git('commit', '--quiet', '--message=one')
  git('bundle', 'create', '--quiet', 'one.bundle', '--all')
  return path.join(folder, 'one.bundle')
}

const skillFile = input('SKILL.md', 'theirs')
const skill: Skill = { name: 'tidy', description: 'd', path: path.dirname(skillFile.source), sha256: 'x' }
const installed = { skill, files: [{ ...skillFile, path: 'SKILL.md' }] }

async function laidOut(asked: Partial<WorkspaceRequest>) {
  const cwd = path.join(mkdtempSync(path.join(root, 'room-')), 'work')
  const usual = { cwd, files: [], git: null, setup: null, skillsFolders: ['.claude/skills'], skill: installed, env }
  await prepareWorkspace({ ...usual, signal: new AbortController().signal, ...asked })
  return (name: string) => readFileSync(path.join(cwd, name), 'utf8')
}

describe('a link out of the folder', () => {
  test.each(['.claude', '.claude/skills', '.claude/skills/tidy'])(
    'that setup makes of %s is followed by no skill',
    async (name) => {
      const folder = owned()
      const setup = `mkdir -p ${path.dirname(name)}; ln -s ${folder} ${name}`
      await expect(laidOut({ setup })).rejects.toThrow(SetupError)
      expect(execFileSync('ls', ['-A', folder], { encoding: 'utf8' })).toBe('SKILL.md\n')
      expect(readFileSync(path.join(folder, 'SKILL.md'), 'utf8')).toBe('mine')
    },
  )
  test('that setup makes of a file of the skill, to one that is not there', async () => {
    const file = path.join(owned(), 'new')
    const setup = `mkdir -p .claude/skills/tidy; ln -s ${file} .claude/skills/tidy/SKILL.md`
    await expect(laidOut({ setup })).rejects.toThrow(/SKILL\.md: a link in this path leads out of the working folder/)
    expect(existsSync(file)).toBe(false)
  })
  test('that a bundle brings is followed by no input', async () => {
    const folder = owned()
    const asked = { git: { bundle: bundleWith('data', folder) }, files: [input('data/SKILL.md', 'theirs')] }
    await expect(laidOut(asked)).rejects.toThrow(SetupError)
    expect(readFileSync(path.join(folder, 'SKILL.md'), 'utf8')).toBe('mine')
  })
})

test.each(['../../owned', '../owned/SKILL.md', 'a/../../owned'])(
  'an input or a skill that is to lie at %s is laid out nowhere',
  async (name) => {
    const room = mkdtempSync(path.join(root, 'room-'))
    const cwd = path.join(room, 'a/work')
    await expect(laidOut({ cwd, files: [input(name, 'theirs')] })).rejects.toThrow(/outside the working folder/)
    const named = { ...installed, skill: { ...skill, name: `../../${name}` } }
    await expect(laidOut({ cwd, skill: named })).rejects.toThrow(/outside the working folder/)
    expect(readdirSync(room, { recursive: true }).sort()).toEqual(['a', 'a/work'])
  },
)

test.each([
  ['SKILL.md', 'a pipe', 'mkdir -p .claude/skills/tidy; mkfifo .claude/skills/tidy/SKILL.md'],
  [
    'SKILL.md behind a link',
    'a pipe',
    'mkdir -p .claude/skills/tidy a; mkfifo a/SKILL.md; ln -s ../../../a/SKILL.md .claude/skills/tidy',
  ],
  ['the folder of skills', 'EEXIST|ENOTDIR', 'mkdir .claude; mkfifo .claude/skills'],
  ['the folder of the engine, by a link', 'EEXIST|ENOTDIR', 'echo > a; ln -s a .claude'],
])('what setup lays at %s is no place to write to, and holds nothing up: %s', async (_, said, setup) => {
  const made = laidOut({ setup })
  await expect(made).rejects.toThrow(SetupError)
  await expect(made).rejects.toThrow(new RegExp(said))
})

test('a link within the folder is followed, as in many repositories', async () => {
  const read = await laidOut({ git: { bundle: bundleWith('.claude/skills', '../.agents/skills') } })
  expect(read('.agents/skills/tidy/SKILL.md')).toBe('theirs')
})

test('a configuration of git among the inputs starts nothing', async () => {
  const mark = path.join(owned(), 'started')
  const config = input('.git/config', `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch ${mark}; false"\n`)
  const asked = { git: true as const, files: [config, input('.git/HEAD', 'ref: refs/heads/main\n')] }
  await expect(laidOut(asked)).rejects.toThrow(/"git": true creates \.git/)
  expect(existsSync(mark)).toBe(false)
})
