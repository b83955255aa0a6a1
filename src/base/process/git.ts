/** Runs git without what a repository configures, opens the repository of a folder, and finds commits in it. */
import path from 'node:path'
import { errnoCode, UserError } from '../errors/error.ts'
import { quoteWord } from '../package_root.ts'
import { didYouMean } from '../text/did_you_mean.ts'
import { loadExeca } from './execa.ts'
import { runProcess } from './spawn.ts'

/**
 * Keeps a repository from starting programs of its own, and from writing more than a command needs. A folder among the files of a
 * repository that looks like a bare repository, with a configuration of its own, is not taken for one.
 */
const harmless = [
  '--no-optional-locks',
  ...['-c', 'safe.bareRepository=explicit'],
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.splitIndex=false'],
]

/**
 * Settings that name programs, files to write, or a way to the server on which a stranger reads along, with a harmless value. Only the
 * user's own configuration may have them: an archive or a shared folder brings the file .git/config of another person. A name's middle
 * part may be empty.
 */
const foreignSettings: readonly (readonly [name: RegExp, value: string])[] = [
  [/^filter\..*\.(?:clean|smudge|process)$/, ''],
  [/^filter\..*\.required$/, 'false'],
  [/^credential\.(?:.*\.)?helper$/, ''],
  [/^core\.(?:askpass|alternaterefscommand)$/, 'true'],
  [/^hook\..*\.command$/, 'true'],
  [/^core\.sshcommand$/, 'ssh'],
  [/^remote\..*\.uploadpack$/, 'git-upload-pack'],
  [/^http\.(?:.*\.)?savecookies$/, 'false'],
  [/^http\.(?:.*\.)?sslverify$/, 'true'],
  [/^http\.(?:.*\.)?delegation$/, 'none'],
  [/^http\.(?:.*\.)?(?:cookiefile|curloptresolve|sslcainfo|sslcapath)$/, ''],
  [/^(?:http\.(?:.*\.)?|remote\..*\.)proxy$/, ''],
]

/** Protocols without a program of the repository, for objects that a partial clone lacks. */
const localProtocols = 'https:http:ssh:file'

export interface GitOptions {
  env?: Record<string, string>
  /** Text for stdin. */
  input?: string
}

/**
 * stdout of a git command, without the last line end. Drops the caller's GIT_* variables, which in a hook name another repository or
 * index, except for the names of author and committer and for how to start ssh. Rejects with execa's error if git can't start (ENOENT) or fails.
 */
export async function runGit(
  cwd: string,
  args: readonly string[],
  { env = {}, input = '' }: GitOptions = {},
): Promise<string> {
  const { execa } = loadExeca()
  const given = { GIT_ALLOW_PROTOCOL: localProtocols, ...ownEnvironment(), ...env }
  const options = { cwd, extendEnv: false }
  const list = [...harmless, 'config', '--list', '--show-scope', '--name-only', '-z']
  const { stdout } = await execa('git', list, { ...options, env: given })
  return (
    await execa('git', [...harmless, ...withoutPrograms(args)], {
      ...options,
      env: { ...given, ...overrideSettings(stdout) },
      input,
    })
  ).stdout
}

/** For uncommitted changes of a submodule, diff would start git there, with the settings of the submodule and without these here. */
function withoutPrograms([command = '', ...args]: readonly string[]): string[] {
  return command === 'diff' ? ['diff', '--no-ext-diff', '--ignore-submodules=dirty', ...args] : [command, ...args]
}

/** Variables that replace the repository's own settings. As arguments (-c) a name with = would end early. */
function overrideSettings(listed: string): Record<string, string> {
  const parts = listed.split('\0')
  const own = parts.flatMap((scope, at) =>
    at % 2 === 0 && /^(?:local|worktree)$/.test(scope) ? [parts[at + 1] ?? ''] : [],
  )
  const replaced = [...new Set(own)].flatMap((name) => {
    const found = foreignSettings.find(([known]) => known.test(name))
    return found === undefined ? [] : [[name, found[1]] as const]
  })
  const pairs = replaced.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, name] as const,
    [`GIT_CONFIG_VALUE_${at}`, value] as const,
  ])
  return { GIT_CONFIG_COUNT: String(replaced.length), ...Object.fromEntries(pairs) }
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && (!name.startsWith('GIT_') || isKept(name)) ? [[name, value]] : [],
    ),
  )
}

/** git ended with an error; `stderr` has what it printed. */
export class GitError extends Error {
  override readonly name = 'GitError'
  readonly stderr: string
  constructor(stderr: string) {
    super(stderr.trim())
    this.stderr = stderr
  }
}

/**
 * Runs a git command that may wait for a network in `bare`, a repository that Whetstone made or, for init, will make: git looks for no
 * other, whose configuration could name programs. Aborting ends it with all of its helpers. Rejects with GitError, SpawnError or the
 * abort reason.
 */
export async function runRemoteGit(
  bare: string,
  args: readonly string[],
  { env, signal }: { env: Record<string, string>; signal: AbortSignal },
): Promise<string> {
  const own = { GIT_DIR: bare, GIT_CEILING_DIRECTORIES: path.dirname(bare) }
  const place = { cwd: path.dirname(bare), env: { ...ownEnvironment(), ...env, ...own }, signal, stdoutLimit: 2 ** 28 }
  const end = await runProcess({ command: 'git', args: [...harmless, ...args], ...place })
  if (end.exitCode !== 0) throw new GitError(end.stderrTail)
  return end.stdout.replace(/\n$/, '')
}

function isKept(name: string): boolean {
  return /^GIT_(AUTHOR_|COMMITTER_|SSH$|SSH_COMMAND$)/.test(name)
}

export interface GitRepository {
  /** Its top folder, absolute. */
  top: string
  /** The folder below it, with a slash at the end; '': the top itself. */
  prefix: string
}

/** How messages name the request, and what to do without a repository. */
export interface GitWish {
  /** Such as `--baseline git:main`. */
  flag: string
  /** The hint for a folder outside git. */
  otherwise: string
}

/** Git's own messages, whatever the user's language. */
const inEnglish = { LC_ALL: 'C' }

/** The repository of a folder, also in a worktree. Throws UserError: no git, no repository, or one that another user owns. */
export async function openGitRepository(folder: string, { flag, otherwise }: GitWish): Promise<GitRepository> {
  const top = await runGit(folder, ['rev-parse', '--show-toplevel'], { env: inEnglish }).catch((error: unknown) => {
    if (errnoCode(error) === 'ENOENT')
      throw new UserError(`${flag}: git can't be started in ${folder}`, `install git; or ${otherwise}`)
    throw explainNoRepository(readStderr(error), folder, { flag, otherwise })
  })
  return { top, prefix: await runGit(folder, ['rev-parse', '--show-prefix']) }
}

function explainNoRepository(stderr: string, folder: string, { flag, otherwise }: GitWish): UserError {
  const owned = /dubious ownership in repository at '(.+)'/.exec(stderr)?.[1]
  if (owned !== undefined) {
    return new UserError(
      `${flag}: git refuses the repository because another user owns it (${owned})`,
      `git config --global --add safe.directory ${quoteWord(owned)}`,
    )
  }
  const lost = /not a git repository: (.+)/.exec(stderr)?.[1]?.trim()
  if (lost !== undefined) {
    return new UserError(`${flag}: the worktree's repository does not exist (${lost})`, 'git worktree repair')
  }
  return new UserError(`${flag}: not in a git repository (${folder})`, otherwise)
}

function readStderr(error: unknown): string {
  return error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
}

export interface FoundCommit {
  commit: string
  ref: string
  /** Why that is another ref than the one asked for; null: it is that one. */
  note: string | null
}

/** The commit of a ref; a branch that only origin has is found there. Throws UserError with the command that fetches it, or the nearest ref. */
export async function findCommit(top: string, ref: string, flag: string): Promise<FoundCommit> {
  const commit = await readCommit(top, ref)
  if (commit !== null) return { commit, ref, note: null }
  const remote = `origin/${ref}`
  const fetched = await readCommit(top, `refs/remotes/${remote}`)
  if (fetched !== null) return { commit: fetched, ref: remote, note: `${ref} is not a ref here; ${remote} is used` }
  throw new UserError(`${flag}: no such ref in ${top}`, await suggestRef(top, ref))
}

async function readCommit(top: string, ref: string): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]
  return await runGit(top, args).catch(() => null)
}

/** Whether the clone lacks older commits. */
export async function isShallowClone(top: string): Promise<boolean> {
  return (await runGit(top, ['rev-parse', '--is-shallow-repository']).catch(() => 'false')) === 'true'
}

async function suggestRef(top: string, ref: string): Promise<string> {
  const refs = (await runGit(top, ['for-each-ref', '--format=%(refname:short)'])).split('\n').filter(Boolean)
  const near = didYouMean(ref, ['HEAD', ...refs])
  if (await isShallowClone(top)) {
    const other = near === null ? '' : ` (or ${near})`
    return `the clone is shallow: ${isPlainName(ref) ? fetchCommand(ref) : 'git fetch --unshallow'}${other}`
  }
  if (near !== null) return near
  const hasOrigin = (await runGit(top, ['remote'])).split('\n').includes('origin')
  if (hasOrigin && isPlainName(ref)) return `if origin has it: ${fetchCommand(ref)}`
  return refs.length === 0
    ? 'commit the skill first'
    : `expected one of ${refs.slice(0, 5).join(', ')}, or a commit hash`
}

/** The name of a branch or tag: not a hash and not relative to another commit. */
function isPlainName(ref: string): boolean {
  return /^[\w./-]+$/.test(ref) && !ref.startsWith('-') && !/^[0-9a-f]{7,40}$/.test(ref)
}

/** Names the remote branch too, since a clone of one branch would not keep another one. */
function fetchCommand(ref: string): string {
  const name = ref.replace(/^(?:refs\/(?:heads|remotes)\/)?(?:origin\/)?/, '')
  return `git fetch --depth 1 origin +${name}:refs/remotes/origin/${name}`
}
