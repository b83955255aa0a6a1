/** Finds the commit of a ref in a repository, without fetching it. */
import { UserError } from '../../base/errors/error.ts'
import { suggestChoice } from '../../base/text/did_you_mean.ts'

export interface RemoteRefs {
  /** Full name → commit; an annotated tag has its commit. */
  commits: ReadonlyMap<string, string>
  /** The branch that HEAD names; null: a detached HEAD, or none. */
  head: string | null
}

/** Parses the output of `git ls-remote --symref`. */
export function parseRemoteRefs(text: string): RemoteRefs {
  const commits = new Map<string, string>()
  let head: string | null = null
  for (const line of text.split('\n')) {
    const [value = '', name = ''] = line.split('\t')
    const branch = /^ref: refs\/heads\/(.+)$/.exec(value)?.[1]
    if (branch !== undefined && name === 'HEAD') head = branch
    else if (/^[0-9a-f]{40,64}$/.test(value)) commits.set(name.replace(/\^\{\}$/, ''), value) // ^{} follows its tag
  }
  return { commits, head }
}

export interface FoundRef {
  /** null: only the repository itself can resolve it (a commit, `main~2`). */
  commit: string | null
  /** The branch to check out. */
  branch: string
}

/** null: HEAD. Throws UserError for a name that the repository does not have. */
export function findRef(ref: string | null, { commits, head }: RemoteRefs, source: string): FoundRef {
  const usual = head ?? 'main'
  if (ref === null || ref === 'HEAD') {
    const commit = commits.get('HEAD')
    if (commit !== undefined) return { commit, branch: usual }
    if (ref === null && commits.size > 0) return findOnlyBranch(commits, source)
    throw new UserError(`repo ${source}: it has no commit`, 'commit something there, or name another repository')
  }
  const branch = ref.replace(/^refs\/heads\//, '')
  const ofBranch = commits.get(`refs/heads/${branch}`)
  if (ofBranch !== undefined) return { commit: ofBranch, branch }
  const other = commits.get(ref) ?? commits.get(`refs/tags/${ref}`)
  if (other !== undefined) return { commit: other, branch: usual }
  if (/^[0-9a-f]{4,64}$/i.test(ref) || /[~^@]/.test(ref)) return { commit: null, branch: usual }
  throw unknownRefError(ref, { commits, head }, source)
}

export function unknownRefError(ref: string, { commits }: RemoteRefs, source: string): UserError {
  const names = [...commits.keys()].map((name) => name.replace(/^refs\/(heads|tags)\//, ''))
  return new UserError(`repo ${source}: no ref "${ref}"`, suggestChoice(ref, names.slice(0, 1000)))
}

/** A bundle need not have a HEAD. */
function findOnlyBranch(commits: ReadonlyMap<string, string>, source: string): FoundRef {
  for (const [name, commit] of commits) {
    const branch = /^refs\/heads\/(.+)$/.exec(name)?.[1]
    if (branch !== undefined) return { commit, branch }
  }
  throw new UserError(`repo ${source}: it has neither HEAD nor a branch`, 'name a tag or commit as "ref"')
}
