/** Fetches the repositories that the cases of a suite start from, before anything is paid for. */
import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import type { RepoSource, RepoState } from '../../../schemas/repo.ts'
import type { GitState, LoadWarning, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { canonicalJson } from '../../base/json/json.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { isAgentSettings } from '../../phases/1-plan/suite/suite_commands.ts'
import { type StoredRepo, storeRepo } from '../../store/repos/store_repo.ts'
import { findSigner } from '../../store/signing/signer.ts'
import type { FlowContext } from '../flow_context.ts'

export interface RepoRequest {
  /** The workspace, absolute: its cache keeps what is fetched. */
  workspace: string
  /** The skill's folder, absolute. */
  skill: string
  wish: Pick<SandboxWish, 'trusted'> | null | undefined
}

export interface PlacedRepos {
  /** With the commit that each starts from. */
  cases: SuiteCase[]
  warnings: LoadWarning[]
  /** A line for each repository: where it comes from, and its commit. */
  notes: string[]
}

/** Each repository and ref is fetched once. Throws UserError for one that can't be fetched, or that the agent must not see. */
export async function placeRepos(
  suite: Pick<Suite, 'cases' | 'path'>,
  request: RepoRequest,
  context: Pick<FlowContext, 'signal' | 'env'>,
): Promise<PlacedRepos> {
  const known = new Map<string, StoredRepo>()
  const place = { workspace: request.workspace, signer: findSigner(context.env), signal: context.signal }
  const placed: PlacedRepos = { cases: [], warnings: [], notes: [] }
  for (const one of suite.cases) {
    const { repo } = one
    if (repo === undefined || one.cannot_run !== null) {
      placed.cases.push(one)
      continue
    }
    refuseOutside(repo, suite.path, request)
    const key = canonicalJson([repo.source, repo.ref, repo.subdir])
    const stored = known.get(key) ?? (await storeRepo(repo, place))
    if (!known.has(key)) {
      await refuseAnswers(repo, stored, suite.path)
      placed.notes.push(describeRepo(repo, stored, one))
      placed.warnings.push(...(await findWarnings(stored, suite.path, request.skill)))
    }
    known.set(key, stored)
    placed.cases.push({ ...one, git: toGitState(repo, stored) })
  }
  return placed
}

/** Under the sandbox an agent could not read such a place, so a suite alone may not give it to the agent. */
function refuseOutside({ source, outside }: RepoSource, file: string, { wish }: RepoRequest): void {
  if (outside === undefined || wish?.trusted === true) return
  throw new UserError(
    `${file}: repo ${source} is outside of the skill's folder and git repository, and agents would get its files`,
    'add --trust-suite if they may, or move the repository there',
  )
}

function toGitState(repo: RepoSource, { bundle, sha256, commit, branch, shallow, tree }: StoredRepo): GitState {
  const settings = tree.map(readTreePath).filter(isAgentSettings)
  const state: RepoState = {
    commit,
    branch,
    ...(shallow.length > 0 && { shallow }),
    ...(repo.kind === 'url' && repo.subdir === null && { origin: repo.source }),
    ...(settings.length > 0 && { settings }),
  }
  return { bundle, sha256, repo: state }
}

function describeRepo({ source, ref, subdir }: RepoSource, { commit }: StoredRepo, one: SuiteCase): string {
  const part = subdir === null ? '' : `, folder ${subdir}`
  return `repo of case ${one.eval_id}: ${source} at ${ref ?? 'HEAD'}${part}: commit ${commit.slice(0, 12)}`
}

/** Throws UserError if the agent would find the suite, with its answers, in the repository. */
async function refuseAnswers({ source, kind, subdir }: RepoSource, { tree }: StoredRepo, suite: string): Promise<void> {
  const blob = await hashBlob(suite)
  const base = path.join(source, subdir ?? '.')
  const real = await realpath(suite)
  const own = kind === 'path' ? path.relative(base, real).split(path.sep).join('/') : null
  const found = tree.find((line) => readTreeHash(line) === blob || readTreePath(line) === own)
  if (found === undefined) return
  throw new UserError(
    `${suite}: repo ${source} has the suite itself, which the agent must not see (${readTreePath(found)})`,
    'name a part without it as "subdir", or a repository without the skill',
  )
}

async function findWarnings({ tree }: StoredRepo, file: string, skill: string): Promise<LoadWarning[]> {
  const blob = await hashBlob(path.join(skill, 'SKILL.md'))
  const own = blob === null ? undefined : tree.find((line) => readTreeHash(line) === blob)
  const modules = tree.some((line) => readTreePath(line) === '.gitmodules')
  const messages = [
    ...(own === undefined
      ? []
      : [`the skill's own SKILL.md is in it (${readTreePath(own)}): both configurations see it`]),
    ...(modules ? ['it has submodules, which are not fetched: their folders are empty'] : []),
  ]
  return messages.map((message) => ({ file, at: 'repo', message }))
}

/** The file's id in git; null: there is no such file. */
async function hashBlob(file: string): Promise<string | null> {
  const content = await readFile(file).catch(() => null)
  if (content === null) return null
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
}

function readTreeHash(line: string): string {
  return line.split(/[ \t]/)[2] ?? ''
}

function readTreePath(line: string): string {
  return line.slice(line.indexOf('\t') + 1)
}
