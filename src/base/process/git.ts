/** Runs git in a repository that a stranger may have written. */
import path from 'node:path'
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
  const { execa } = await import('execa') // loaded where git is needed: it takes longer to load than git to run
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
