/** Clones the repository of a case into the working folder, from its bundle: no program of the repository or of the machine's git runs. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { RepoState } from '../../../../schemas/repo.ts'

export interface ClonePlace {
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
export async function cloneRepo(
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
