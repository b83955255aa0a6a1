/** Prepares the working folder of a run: the same files in both configurations, which differ only by the skill. */
import { lstatSync, mkdirSync } from 'node:fs'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { GitStart } from '../../../../schemas/evals.ts'
import type { RepoState } from '../../../../schemas/repo.ts'
import type { GitState, InputFile, Skill } from '../../../../schemas/suite.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { copyWalk, hashFile, hashWalk, type WalkedFile, walk } from '../../../base/fs/files.ts'
import { isShortage } from '../../../base/process/resource_shortage.ts'
import type { Sandbox } from '../../../base/sandbox/policy.ts'
import type { InstalledSkill } from '../../../engines/engine.ts'
import { listAgentPlaces } from '../../../engines/table.ts'
import { runStep, type StepPlace } from './shell_step.ts'
import { assertNoSymlinkTraps, SetupError } from './symlink_traps.ts'

export interface WorkspaceRequest {
  /** Absolute path of the working folder, missing or empty. */
  cwd: string
  files: readonly InputFile[]
  /** With `sha256`, the bundle must be unchanged since the plan. */
  git: GitStart | GitState | null
  setup: string | null
  /** The engine's folders for skills, relative to cwd. */
  skillsFolders: readonly string[]
  /** The skill and its files (without its `evals/`); null: none. */
  skill: { skill: Skill; files: readonly WalkedFile[] } | null
  /** Skills to install next to it; absent: none. */
  among?: readonly { skill: Skill; files: readonly WalkedFile[] }[]
  /** Commands have already worked there, so it may contain links; absent: false. */
  isBuilt?: boolean
  /** For Whetstone's own steps, such as git: without the suite's programs on PATH. */
  env: Readonly<Record<string, string>>
  /** For `setup`; absent: the same. */
  setupEnv?: Readonly<Record<string, string>>
  /** Sandbox of `setup`; absent or null: none. */
  sandbox?: Sandbox | null
  signal: AbortSignal
}

/** Prepares the working folder and returns the installed skills. Throws SetupError, or the abort reason. */
export async function prepareWorkspace(request: WorkspaceRequest): Promise<InstalledSkill[]> {
  const { cwd, env, setupEnv = env, sandbox = null } = request
  mkdirSync(cwd, { recursive: true })
  if (isBundle(request.git)) {
    const place = { cwd, env, signal: request.signal }
    if (request.git.repo === undefined) await cloneBundle(request.git, place)
    else
      await cloneRepo(await verifyBundle(request.git), request.git.repo, {
        cwd,
        git: (argv, own) => runGitStep(argv, place, own),
      })
  }
  await copyInputs(request.files, request)
  if (request.git !== null) await startGit(request, request.git === true)
  if (request.setup !== null) {
    await runStep(['sh', '-c', request.setup], { cwd, env: setupEnv, sandbox, signal: request.signal })
  }
  const skills = [...(request.skill === null ? [] : [request.skill]), ...(request.among ?? [])]
  const isFresh = request.setup === null && !isBundle(request.git) && request.isBuilt !== true
  return await Promise.all(skills.map((one) => installSkill(one, { ...request, isFresh })))
}

function isBundle(git: WorkspaceRequest['git']): git is Bundle {
  return git !== null && git !== true
}

type Bundle = { bundle: string; sha256?: string; repo?: RepoState | undefined }

function runGitStep(args: readonly string[], place: StepPlace, env: Record<string, string>): Promise<string> {
  return runStep(['git', ...args], { ...place, env: { ...place.env, ...env } })
}

async function verifyBundle({ bundle, sha256 }: Bundle): Promise<string> {
  const found =
    sha256 &&
    (await hashFile(bundle).catch((error: unknown) => {
      throw new SetupError(`git bundle: ${errorMessage(error)}`)
    }))
  if (found !== sha256) throw new SetupError(`git bundle: ${bundle} has changed since the plan was written`)
  return bundle
}

/** A bundle without HEAD does not say what to check out, so its first branch is used. */
async function cloneBundle(given: Bundle, place: StepPlace): Promise<void> {
  const bundle = await verifyBundle(given)
  const heads = (await runStep(['git', 'bundle', 'list-heads', bundle], place)).trim().split('\n')
  const branch = / refs\/heads\/(.+)$/.exec(heads[0] ?? '')?.[1]
  const choice = heads.some((line) => line.endsWith(' HEAD')) || branch === undefined ? [] : ['--branch', branch]
  await runStep(['git', 'clone', '--quiet', ...choice, bundle, '.'], place)
}

/** Copies the inputs as planned: runs are not comparable if an input changes after the plan. */
async function copyInputs(files: readonly InputFile[], { cwd, git }: WorkspaceRequest): Promise<void> {
  const clear = (places: string[]) => isBundle(git) && assertNoSymlinkTraps(cwd, places)
  for (const file of files) {
    const target = path.join(cwd, file.path)
    assertNoSymlinkTraps(cwd, [target])
    const sha256 = await copyInput(file, target, clear).catch((error: unknown) => {
      throw new SetupError(`input file: ${errorMessage(error)}`)
    })
    if (sha256 !== file.sha256)
      throw new SetupError(`input file: ${file.source} has changed since the plan was written`)
  }
}

/** Returns the hash of the copied content. */
async function copyInput(file: InputFile, target: string, clear: (places: string[]) => unknown): Promise<string> {
  await mkdir(path.dirname(target), { recursive: true })
  if (file.kind === 'file') {
    await copyFile(file.source, target)
    return hashFile(target)
  }
  const { files } = await walk(file.source)
  clear(files.map((one) => path.join(target, one.path)))
  await copyWalk(files, target)
  return hashWalk(files)
}

/** Excludes the skills folder from git, in both configurations; commits the input files if the repository is new. */
async function startGit(request: WorkspaceRequest, isNew: boolean): Promise<void> {
  const { cwd, signal } = request
  const env = { ...request.env, ...author }
  if (isNew) assertNoRepository(cwd)
  if (isNew) await runStep(['git', 'init', '--quiet', '--initial-branch=main'], { cwd, env, signal })
  const hidden = listAgentPlaces(request.skillsFolders).map((place) => `/${place}/\n`)
  const exclude = path.join(cwd, '.git/info/exclude')
  await mkdir(path.dirname(exclude), { recursive: true })
  const before = await readFile(exclude, 'utf8').catch(() => '')
  await writeFile(exclude, `${before}\n${hidden.join('')}`)
  if (!isNew) return
  await runStep(['git', 'add', '--all'], { cwd, env, signal })
  await runStep(['git', 'commit', '--quiet', '--allow-empty', '--message=start'], { cwd, env, signal })
}

/** A repository among the inputs may name programs in its configuration, which git would start outside the sandbox. */
function assertNoRepository(cwd: string): void {
  if (lstatSync(path.join(cwd, '.git'), { throwIfNoEntry: false }) === undefined) return
  throw new SetupError('input file: "git": true creates .git; leave it out of the files, or pass a bundle')
}

const author = {
  GIT_AUTHOR_NAME: 'start',
  GIT_AUTHOR_EMAIL: 'start@localhost',
  GIT_COMMITTER_NAME: 'start',
  GIT_COMMITTER_EMAIL: 'start@localhost',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
}

/** Clones the repository of a case into the working folder, from its bundle: no program of the repository or of the machine's git runs. */
interface ClonePlace {
  /** The empty working folder, absolute. */
  cwd: string
  /** Runs git there and returns its stdout. Rejects with SetupError. */
  git: (args: readonly string[], env: Record<string, string>) => Promise<string>
}

/** Filters such as git-lfs come from the machine's configuration, so that is not read. */
const withoutConfig = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_ATTR_NOSYSTEM: '1' }

/** Nothing left in .git names the bundle: its path is that of the results. */
const withoutTraces = ['-c', 'core.logAllRefUpdates=false', '-c', 'core.hooksPath=/dev/null']

/** Checks the commit out on its branch, with its links as links, so that `git status` is clean. */
async function cloneRepo(
  bundle: string,
  { commit, branch, shallow, origin }: RepoState,
  { cwd, git }: ClonePlace,
): Promise<void> {
  const run = (...args: string[]) => git([...withoutTraces, ...args], withoutConfig)
  await run('init', '--quiet', '--template=', `--initial-branch=${branch}`)
  // must be there before the fetch, which otherwise misses the parents
  if (shallow !== undefined) await writeFile(path.join(cwd, '.git/shallow'), shallow.map((one) => `${one}\n`).join(''))
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', bundle]
  const remote = origin === undefined ? [] : [`+refs/heads/${branch}:refs/remotes/origin/${branch}`]
  await run(...fetch, `refs/heads/${branch}`, '+refs/tags/*:refs/tags/*', ...remote)
  await run('checkout', '--quiet', '-B', branch, commit)
  // the home of a run has no .gitconfig, and without a name no commit is possible
  await run('config', 'user.name', 'user')
  await run('config', 'user.email', 'user@localhost')
  if (origin === undefined) return
  await run('remote', 'add', '--', 'origin', origin)
  await run('branch', '--quiet', `--set-upstream-to=origin/${branch}`, branch)
}

interface SkillTarget {
  /** Absolute path of the working folder. */
  cwd: string
  /** The engine's folders for skills, relative to cwd. */
  skillsFolders: readonly string[]
  /** False: a setup or a git bundle may have left links there. */
  isFresh: boolean
}

/** Throws SetupError where something is in the way of the skill's files. */
async function installSkill(
  { skill, files }: { skill: Skill; files: readonly WalkedFile[] },
  { cwd, skillsFolders, isFresh }: SkillTarget,
): Promise<InstalledSkill> {
  const targets = skillsFolders.map((folder) => path.join(cwd, folder, skill.name))
  for (const target of targets) {
    assertNoSymlinkTraps(cwd, isFresh ? [target] : files.map((file) => path.join(target, file.path)))
    await copyWalk(files, target).catch((error: unknown) => {
      if (isShortage(error)) throw error
      throw new SetupError(`skill ${skill.name}: ${errorMessage(error)}`) // `setup` has put something in its way
    })
  }
  return describeInstalled(skill, targets)
}

/** An installed skill, from its first place and the copies. */
export function describeInstalled(
  { name, description }: Pick<InstalledSkill, 'name' | 'description'>,
  [first = '', ...copies]: readonly string[],
): InstalledSkill {
  return { name, description, path: first, ...(copies.length === 0 ? {} : { copies }) }
}
