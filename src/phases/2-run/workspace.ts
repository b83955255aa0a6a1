/** The working folder of a run: the same files in both arms; the skill, where the arm has it, is the only difference. */
import { lstatSync, mkdirSync, statSync } from 'node:fs'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { GitStart } from '../../../schemas/evals.ts'
import type { InputFile, Skill } from '../../../schemas/suite.ts'
import { messageOf } from '../../base/error.ts'
import { copyWalk, hashFile, hashWalk, type WalkedFile, walk } from '../../base/files.ts'
import { leadsOut, namesBelow } from '../../base/own_file.ts'
import { oddKind } from '../../base/plain_file.ts'
import type { Sandbox } from '../../base/sandbox/policy.ts'
import { isShortage } from '../../base/shortage.ts'
import { runProcess } from '../../base/spawn.ts'
import { timeLimit } from '../../base/time_limit.ts'
import type { InstalledSkill } from '../../engines/engine.ts'

export interface WorkspaceRequest {
  /** Absolute path of the working folder, not there yet or empty. */
  cwd: string
  files: readonly InputFile[]
  git: GitStart | null
  setup: string | null
  /** Where the engine discovers skills, relative to cwd. */
  skillsFolder: string
  /** The skill and its files (without its `evals/`); null: none is installed. */
  skill: { skill: Skill; files: readonly WalkedFile[] } | null
  /** Skills that are installed beside it; absent: none. */
  among?: readonly { skill: Skill; files: readonly WalkedFile[] }[]
  env: Readonly<Record<string, string>>
  /** What `setup` is confined to; absent or null: nothing. */
  sandbox?: Sandbox | null
  signal: AbortSignal
}

/** The starting state could not be made: the run fails as `setup`. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

const setupSeconds = 300

/** Lays out the working folder; gives the installed skills. Throws SetupError, or the abort reason. */
export async function layOut(request: WorkspaceRequest): Promise<InstalledSkill[]> {
  const { cwd, env, sandbox = null } = request
  mkdirSync(cwd, { recursive: true })
  if (isBundle(request.git)) {
    await cloneBundle(request.git.bundle, { cwd, env, signal: request.signal })
  }
  await copyInputs(request.files, request)
  if (request.git !== null) await startGit(request, request.git === true)
  if (request.setup !== null) {
    await runStep(['sh', '-c', request.setup], { cwd, env, sandbox, signal: request.signal })
  }
  const skills = [...(request.skill === null ? [] : [request.skill]), ...(request.among ?? [])]
  return await Promise.all(skills.map((one) => install(one, request)))
}

function isBundle(git: GitStart | null): git is Exclude<GitStart, true> {
  return git !== null && git !== true
}

/** A bundle made without HEAD says nothing of what to check out: its first branch then. */
async function cloneBundle(bundle: string, place: StepPlace): Promise<void> {
  const heads = (await runStep(['git', 'bundle', 'list-heads', bundle], place)).trim().split('\n')
  const branch = / refs\/heads\/(.+)$/.exec(heads[0] ?? '')?.[1]
  const choice = heads.some((line) => line.endsWith(' HEAD')) || branch === undefined ? [] : ['--branch', branch]
  await runStep(['git', 'clone', '--quiet', ...choice, bundle, '.'], place)
}

/** The inputs as planned: one that has been edited since would make runs that can't be compared. */
async function copyInputs(files: readonly InputFile[], { cwd, git }: WorkspaceRequest): Promise<void> {
  const clear = (places: string[]) => isBundle(git) && refuseTraps(cwd, places)
  for (const file of files) {
    const target = path.join(cwd, file.path)
    refuseTraps(cwd, [target])
    const sha256 = await copyInput(file, target, clear).catch((error: unknown) => {
      throw new SetupError(`input file: ${messageOf(error)}`)
    })
    if (sha256 !== file.sha256) throw new SetupError(`input file: ${file.source} has changed since the plan was made`)
  }
}

/** Gives the hash of what was copied. */
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

/**
 * Throws SetupError where one of these places (absolute) does not lie in the working folder, or a link of a bundle, of `setup` or of a
 * file before would lead it out, or it is a pipe or a device: whoever lays it out is held by no sandbox, and may wait for ever.
 */
export function refuseTraps(cwd: string, places: readonly string[]): void {
  for (const place of places) refuseTrap(cwd, place)
}

function refuseTrap(cwd: string, place: string): void {
  const inside = path.relative(cwd, place)
  if (!namesBelow(cwd, inside)) throw new SetupError(`${inside}: it leads out of the working folder`)
  if (looked(() => leadsOut(cwd, place))) {
    throw new SetupError(`${inside}: a link on the way to it leads out of the working folder`)
  }
  const there = looked(() => statSync(place, { throwIfNoEntry: false }))
  const odd = there === undefined ? null : oddKind(there)
  if (odd !== null) throw new SetupError(`${inside}: it is ${odd}, and no file can be laid there`)
}

/** What can't be looked at lies below a file, or a pipe. */
function looked<T>(look: () => T): T {
  try {
    return look()
  } catch (error) {
    throw new SetupError(messageOf(error))
  }
}

/** A repository that ignores where skills are installed, in both arms, with one commit of the input files if it is new. */
async function startGit(request: WorkspaceRequest, isNew: boolean): Promise<void> {
  const { cwd, signal } = request
  const env = { ...request.env, ...author }
  if (isNew) refuseRepository(cwd)
  if (isNew) await runStep(['git', 'init', '--quiet', '--initial-branch=main'], { cwd, env, signal })
  const top = request.skillsFolder.split('/')[0] ?? request.skillsFolder
  const exclude = path.join(cwd, '.git/info/exclude')
  await mkdir(path.dirname(exclude), { recursive: true })
  const before = await readFile(exclude, 'utf8').catch(() => '')
  await writeFile(exclude, `${before}\n/${top}/\n`)
  if (!isNew) return
  await runStep(['git', 'add', '--all'], { cwd, env, signal })
  await runStep(['git', 'commit', '--quiet', '--allow-empty', '--message=start'], { cwd, env, signal })
}

/** Its configuration names programs, which git would start outside of any sandbox. */
function refuseRepository(cwd: string): void {
  if (lstatSync(path.join(cwd, '.git'), { throwIfNoEntry: false }) === undefined) return
  throw new SetupError('input file: .git is made by "git": true; leave it out of the files, or give a bundle')
}

const author = {
  GIT_AUTHOR_NAME: 'start',
  GIT_AUTHOR_EMAIL: 'start@localhost',
  GIT_COMMITTER_NAME: 'start',
  GIT_COMMITTER_EMAIL: 'start@localhost',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
}

interface StepPlace {
  cwd: string
  env: Readonly<Record<string, string>>
  sandbox?: Sandbox | null
  signal: AbortSignal
}

/** Gives its stdout. */
async function runStep(argv: readonly [string, ...string[]], place: StepPlace): Promise<string> {
  const [command, ...args] = argv
  using limit = timeLimit(setupSeconds * 1000, [place.signal])
  const end = await runProcess({ command, args, ...place, signal: limit.signal }).catch((error: unknown) => {
    place.signal.throwIfAborted()
    if (isShortage(error)) throw error
    throw new SetupError(limit.signal.aborted ? `${argv.join(' ')}: no end after ${setupSeconds} s` : messageOf(error))
  })
  if (end.exitCode !== 0) {
    const said = `${end.stderrTail}\n${end.stdout.slice(-1000)}`.trim()
    throw new SetupError(`${argv.join(' ')}: exit ${end.exitCode ?? end.signal}: ${said}`)
  }
  return end.stdout
}

async function install(
  { skill, files }: { skill: Skill; files: readonly WalkedFile[] },
  { cwd, skillsFolder, git, setup }: WorkspaceRequest,
): Promise<InstalledSkill> {
  const target = path.join(cwd, skillsFolder, skill.name)
  const isFresh = setup === null && !isBundle(git)
  refuseTraps(cwd, isFresh ? [target] : files.map((file) => path.join(target, file.path)))
  await copyWalk(files, target).catch((error: unknown) => {
    if (isShortage(error)) throw error
    throw new SetupError(`skill ${skill.name}: ${messageOf(error)}`) // setup has put something in its way
  })
  return { name: skill.name, description: skill.description, path: target }
}
