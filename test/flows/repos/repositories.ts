/** Repositories for tests, and what an agent finds in the clone of one. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { suiteCase } from '../../../schemas/suite.ts'
import type { FlowContext } from '../../../src/flows/flow_context.ts'
import { placeRepos } from '../../../src/flows/repos/place_repos.ts'
import { loadSuite } from '../../../src/phases/1-plan/suite/load_suite.ts'
import { prepareWorkspace } from '../../../src/phases/2-run/workspace/working_folder.ts'
import { fresh } from '../../e2e/program.ts'
import { folderOf, skillText } from '../../phases/1-plan/folder.ts'

export function git(cwd: string, ...args: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'protocol.file.allow=always']
  return execFileSync('git', [...who, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}

const template: { root?: string } = {}

/** A repository `project` (tag v1, then a later commit with the solution) and a skill whose case starts from it. */
export function repository() {
  template.root ??= createRepository()
  const root = folderOf({})
  cpSync(template.root, root, { recursive: true, verbatimSymlinks: true })
  return { root, project: path.join(root, 'project'), skill: path.join(root, 'skill') }
}

function createRepository(): string {
  const root = fresh()
  const files = folderOf({ 'project/f.txt': 'one', 'project/sub/inner.txt': 'inner', 'skill/SKILL.md': skillText })
  cpSync(files, root, { recursive: true })
  const project = path.join(root, 'project')
  symlinkSync('f.txt', path.join(project, 'link'))
  symlinkSync('/nowhere/at/all', path.join(project, 'out'))
  git(project, 'init', '--quiet', '--initial-branch=main')
  git(project, 'add', '--all')
  git(project, 'commit', '--quiet', '-m', 'first')
  git(project, 'tag', 'v1')
  writeFileSync(path.join(project, 'f.txt'), 'solution')
  git(project, 'commit', '--quiet', '-a', '-m', 'solution')
  git(project, 'tag', 'v2')
  return root
}

const contextOf = (signal: AbortSignal): FlowContext => ({
  emit: () => {},
  env: process.env,
  drain: signal,
  signal,
  now: () => new Date(0),
})

/** The places of a suite whose only case has this `repo`. */
export async function place(root: string, repo: unknown, { trusted = true, stop = new AbortController() } = {}) {
  const skill = path.join(root, 'skill')
  const evals = { skill_name: 'sums', evals: [{ id: 1, prompt: 'p', expectations: ['e'], repo }] }
  mkdirSync(path.join(skill, 'evals'), { recursive: true })
  writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify(evals))
  const suite = await loadSuite(skill)
  const request = { workspace: path.join(root, 'workspace'), skill, wish: { trusted } }
  const placed = await placeRepos(suite, request, contextOf(stop.signal))
  return { ...placed, case: suiteCase.parse(placed.cases[0]) }
}

/** Clones it as a run does, and returns the working folder. */
export async function startRun(root: string, repo: unknown): Promise<string> {
  const { case: one } = await place(root, repo)
  const cwd = path.join(folderOf({}), 'work')
  const env = { PATH: process.env.PATH ?? '', HOME: folderOf({}) }
  const { signal } = new AbortController()
  await prepareWorkspace({
    cwd,
    files: [],
    git: one.git,
    setup: null,
    skillsFolders: ['.claude/skills'],
    skill: null,
    env,
    signal,
  })
  return cwd
}
