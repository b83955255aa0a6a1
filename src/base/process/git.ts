/** Runs git in a repository that a stranger may have written. */
import { runProcess } from './spawn.ts'

/** Keeps a repository from starting programs of its own, and from writing more than a command needs. */
const harmless = [
  '--no-optional-locks',
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.splitIndex=false'],
]

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
  const options = { cwd, env: { ...ownEnvironment(), ...env }, extendEnv: false, input }
  return (await execa('git', [...harmless, ...args], options)).stdout
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
 * The same for a command that may wait for a network: aborting ends it with all of its helpers. Rejects with GitError, SpawnError or
 * the abort reason.
 */
export async function runRemoteGit(
  cwd: string,
  args: readonly string[],
  { env, signal }: { env: Record<string, string>; signal: AbortSignal },
): Promise<string> {
  const place = { cwd, env: { ...ownEnvironment(), ...env }, signal, stdoutLimit: 2 ** 28 }
  const end = await runProcess({ command: 'git', args: [...harmless, ...args], ...place })
  if (end.exitCode !== 0) throw new GitError(end.stderrTail)
  return end.stdout.replace(/\n$/, '')
}

function isKept(name: string): boolean {
  return /^GIT_(AUTHOR_|COMMITTER_|SSH$|SSH_COMMAND$)/.test(name)
}
