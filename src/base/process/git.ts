/** Runs git in a repository that a stranger may have written. */

/** Keeps a repository from starting programs of its own, and from writing more than a command needs. */
const harmless = [
  '--no-optional-locks',
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.splitIndex=false'],
]

export interface GitOptions {
  env?: Record<string, string>
  /** Text for stdin. */
  input?: string
  /** Ends git; absent: it ends by itself. */
  signal?: AbortSignal
}

/**
 * stdout of a git command, without the last line end. Drops the caller's GIT_* variables, which in a hook name another repository or
 * index, except for the names of author and committer and for how to start ssh. Rejects with execa's error if git can't start (ENOENT) or fails.
 */
export async function runGit(
  cwd: string,
  args: readonly string[],
  { env = {}, input = '', signal }: GitOptions = {},
): Promise<string> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') || isKept(name))
  const { execa } = await import('execa') // loaded where git is needed: it takes longer to load than git to run
  const options = {
    cwd,
    env: { ...Object.fromEntries(own), ...env },
    extendEnv: false,
    input,
    ...(signal && { cancelSignal: signal }),
  }
  return (await execa('git', [...harmless, ...args], options)).stdout
}

function isKept(name: string): boolean {
  return /^GIT_(AUTHOR_|COMMITTER_|SSH$|SSH_COMMAND$)/.test(name)
}
