/** Opens the git repository of a folder and finds commits in it; every refusal says what the user can do. */
import { errnoCode, UserError } from '../errors/error.ts'
import { didYouMean } from '../text/did_you_mean.ts'
import { quoteWord } from '../typed_command.ts'
import { runGit } from './git.ts'

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
  /** The ref that names it. */
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
