/** Fetches the repository that a case starts from, once, into the workspace's cache: as a bundle of one commit and its history. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import * as z from 'zod'
import type { RepoSource } from '../../../schemas/repo.ts'
import { errnoCode, errorMessage, UserError } from '../../base/errors/error.ts'
import { hashFile } from '../../base/fs/files.ts'
import { canonicalJson, readJson, sha256 } from '../../base/json/json.ts'
import { GitError, runRemoteGit } from '../../base/process/git.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import { cachePaths, openCache, temporaryName } from '../cache/cache.ts'
import type { ResultSigner } from '../signing/signer.ts'
import { isSignedFile, writeSigned } from '../signing/signer.ts'
import { findRef, parseRemoteRefs, type RemoteRefs, unknownRefError } from './list_refs.ts'

const storedRepo = z.object({
  commit: z.string(),
  branch: z.string(),
  /** Commits whose parents are missing. */
  shallow: z.array(z.string()),
  /** Hash of the bundle. */
  sha256: z.string(),
  /** Lines of `git ls-tree -r` of the commit. */
  tree: z.array(z.string()),
})

export type StoredRepo = z.infer<typeof storedRepo> & {
  /** The bundle's path, absolute. */
  bundle: string
}

export interface RepoPlace {
  /** The workspace, absolute. */
  workspace: string
  signer: ResultSigner
  signal: AbortSignal
}

const fetchSeconds = 1800

/**
 * Resolves the ref, and fetches unless the cache has that commit. The user's git and its credentials do it, outside of any sandbox,
 * and no program that the repository or the suite names is started. Throws UserError, or the abort reason.
 */
export async function storeRepo(repo: RepoSource, place: RepoPlace): Promise<StoredRepo> {
  using limit = startTimeLimit(fetchSeconds * 1000, [place.signal], { what: ` (repo ${repo.source})` })
  const fixed = /^[0-9a-f]{40}$/.test(repo.ref ?? '') ? repo.ref : null
  const known = fixed === null ? null : await readStored(repo, { commit: fixed, branch: null }, place)
  if (known !== null) return known
  const cache = await openCache(place.workspace)
  const scratch = await temporaryName(cache)
  const git: RunGit = (args, env = {}) =>
    runRemoteGit(path.join(scratch, 'bare'), [...quiet, ...args], {
      env: { ...confined, ...env },
      signal: limit.signal,
    })
  try {
    await mkdir(scratch, { recursive: true })
    await git(['init', '--quiet', '--bare', '--template='])
    const refs = parseRemoteRefs(await git(['ls-remote', '--symref', '--', repo.source]))
    const found = findRef(repo.ref, refs, repo.source)
    const key = fixed === null ? found.branch : null
    const { commit } = found
    const stored = commit === null ? null : await readStored(repo, { commit, branch: key }, place)
    return stored ?? (await fetchRepo(repo, { ...found, key, refs, scratch, git }, place))
  } catch (error) {
    place.signal.throwIfAborted()
    if (error instanceof UserError) throw error
    if (limit.signal.aborted) {
      throw new UserError(`repo ${repo.source}: not fetched within ${fetchSeconds} s`, 'use a smaller repository')
    }
    throw explainGitFailure(repo.source, error)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

type RunGit = (args: readonly string[], env?: Record<string, string>) => Promise<string>

const quiet = ['-c', 'core.logAllRefUpdates=false', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false']

/** Also of what a server redirects to. */
const confined = { GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: 'https:http:ssh:file', LC_ALL: 'C' }

interface Fetching {
  commit: string | null
  branch: string
  /** The branch as part of the cache's key; null: the commit alone was asked for. */
  key: string | null
  refs: RemoteRefs
  /** A folder with the new repository `bare`, in which `git` runs. */
  scratch: string
  git: RunGit
}

async function fetchRepo(repo: RepoSource, fetching: Fetching, place: RepoPlace): Promise<StoredRepo> {
  const { refs, scratch, git, branch } = fetching
  const bare = path.join(scratch, 'bare')
  const fetch = [
    'fetch',
    '--quiet',
    '--update-shallow',
    '--no-tags',
    '--no-recurse-submodules',
    '--no-write-fetch-head',
  ]
  const all = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']
  const head = refs.commits.has('HEAD') ? ['+HEAD:refs/whetstone/head'] : []
  await git([...fetch, '--', repo.source, ...head, ...all])
  const ref = fetching.commit ?? repo.ref ?? 'HEAD'
  const isHash = /^[0-9a-f]{40}$/.test(ref)
  const resolve = () => git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`])
  const asked = await resolve().catch(async () => {
    // many servers give a commit that no branch has
    if (isHash) await git([...fetch, '--', repo.source, `+${ref}:refs/whetstone/asked`]).catch(() => {})
    return await resolve().catch(() => {
      throw unknownRefError(ref, refs, repo.source)
    })
  })
  const commit = repo.subdir === null ? asked : await commitFolder(repo, asked, git)
  const tags = await git(['for-each-ref', `--merged=${commit}`, '--format=%(refname)', 'refs/tags'])
  await git(['update-ref', `refs/heads/${branch}`, commit])
  const file = path.join(scratch, 'repo.bundle')
  // nothing later than the commit: other branches and tags may contain the solution
  await git(['bundle', 'create', '--quiet', file, `refs/heads/${branch}`, ...tags.split('\n').filter(Boolean)])
  const tree = await git(['-c', 'core.quotePath=false', 'ls-tree', '-r', commit])
  const made = {
    ...{ commit, branch, sha256: await hashFile(file), tree: tree.split('\n').filter(Boolean) },
    shallow: await listShallow(bare, commit, git),
  }
  const stored = storedPlace(repo, { commit: asked, branch: fetching.key }, place)
  await mkdir(path.dirname(stored.bundle), { recursive: true })
  await rename(file, stored.bundle)
  await writeSigned(storedRepo, stored, { value: made, signer: place.signer })
  return { ...made, bundle: stored.bundle }
}

/** A commit without parents that has only this folder. The same folder content always gives the same commit. */
async function commitFolder({ source, subdir }: RepoSource, commit: string, git: RunGit): Promise<string> {
  const tree = `${commit}:${path.posix
    .normalize(subdir ?? '.')
    .replace(/\/$/, '')
    .replace(/^\.$/, '')}`
  const kind = await git(['cat-file', '-t', tree]).catch(() => null)
  if (kind !== 'tree') {
    throw new UserError(`repo ${source}: no folder "${subdir}" at ${commit}`, 'correct "subdir", or name another ref')
  }
  const date = '2026-01-01T00:00:00Z'
  const author = { GIT_AUTHOR_NAME: 'start', GIT_AUTHOR_EMAIL: 'start@localhost', GIT_AUTHOR_DATE: date }
  const committer = { GIT_COMMITTER_NAME: 'start', GIT_COMMITTER_EMAIL: 'start@localhost', GIT_COMMITTER_DATE: date }
  return await git(['commit-tree', '-m', 'start', await git(['rev-parse', tree])], { ...author, ...committer })
}

/** The commits of this history that a shallow clone has no parents of. */
async function listShallow(bare: string, commit: string, git: RunGit): Promise<string[]> {
  const all = await readFile(path.join(bare, 'shallow'), 'utf8').catch(() => '')
  const first = new Set((await git(['rev-list', '--max-parents=0', commit])).split('\n'))
  return all.split('\n').filter((line) => line !== '' && first.has(line))
}

/** `branch` null: a commit was asked for. What another user stored there does not count: it could be another commit. */
function storedPlace({ source, subdir }: RepoSource, at: { commit: string; branch: string | null }, place: RepoPlace) {
  const what = canonicalJson([source, subdir, at.commit, at.branch])
  const folder = path.join(cachePaths(place.workspace).folder, 'repos', sha256(what).slice(0, 32))
  return { bundle: path.join(folder, 'repo.bundle'), file: path.join(folder, 'repo.json'), as: ['repo', what] }
}

/** null: not in the cache, or damaged there. */
async function readStored(
  repo: RepoSource,
  at: { commit: string; branch: string | null },
  place: RepoPlace,
): Promise<StoredRepo | null> {
  const { bundle, file, as } = storedPlace(repo, at, place)
  if (!existsSync(bundle) || !isSignedFile(file, place.signer, as)) return null
  const read = await readJson(storedRepo, file).catch(() => null)
  if (read === null || (await hashFile(bundle)) !== read.sha256) return null
  return { ...read, bundle }
}

const causes: readonly [RegExp, (source: string) => [what: string, fix: string]][] = [
  [
    /dubious ownership/,
    (source) => [
      'it belongs to another user, so git refuses to read it',
      `if you trust its owner: git config --global --add safe.directory '${source}'`,
    ],
  ],
  [
    /(not|does not) appear to be a git repository|not a git repository|repository '.*' not found|not a bundle|unrecognized header/i,
    () => ['not a git repository', 'name the top of a repository, its URL or a git bundle'],
  ],
  [
    /authentication failed|could not read (username|password)|terminal prompts disabled|permission denied|access denied|host key verification/i,
    (source) => ['access is denied', `make this work first: git ls-remote ${source}`],
  ],
  [
    /transport '.*' not allowed/,
    () => ['it needs a transport other than https, http, ssh or file', 'name another URL of the repository'],
  ],
  [
    /could not resolve|unable to access|failed to connect|connection (refused|timed out|reset)|network is unreachable|could not read from remote/i,
    (source) => ["it can't be reached", `check the URL and the network: git ls-remote ${source}`],
  ],
]

/** `error`: what a git command of this repository was rejected with. */
function explainGitFailure(source: string, error: unknown): UserError {
  if (errnoCode(error) === 'ENOENT') return new UserError(`repo ${source}: git can't be started`, 'install git')
  const said = readStderr(error)
  const lines = said.split('\n').filter((line) => /^(fatal|error|remote): |: /.test(line))
  const last = (lines.at(-1) ?? said.split('\n').at(-1) ?? '').replace(/^(fatal|error): /, '').slice(0, 300)
  const [, explain] = causes.find(([pattern]) => pattern.test(said)) ?? []
  const [what, fix] = explain?.(source) ?? ['git failed', `see what this says: git ls-remote ${source}`]
  return new UserError(`repo ${source}: ${what}${last === '' ? '' : ` (${last})`}`, fix)
}

function readStderr(error: unknown): string {
  return stripVTControlCharacters(error instanceof GitError ? error.stderr : errorMessage(error)).trim()
}
