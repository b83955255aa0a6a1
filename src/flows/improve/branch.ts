/** --branch: commits a certified version on a new branch. The working tree, the index and the current branch stay untouched. */
import path from 'node:path'
import pLimit from 'p-limit'
import { succeeds } from '../../base/errors/attempt.ts'
import { UserError } from '../../base/errors/error.ts'
import { isExecutable, type WalkedFile } from '../../base/fs/files.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { openGitRepository, runGit } from '../../base/process/git.ts'
import { isHiddenFromAgents, listSkillFiles } from '../../phases/1-plan/skill/read_skill.ts'
import { changedFiles } from '../../phases/5-improve/skill_edit.ts'
import { improvePaths } from '../../store/paths.ts'
import { resolveSkillFolder } from '../prepare/prepare_bench.ts'
import { readSkillTexts } from '../versions/replace_skill.ts'
import { type ImproveResult, requireTestedVersion } from './apply.ts'
import { isCertified, pullRequestHeading } from './pull_request.ts'

export interface BranchRequest {
  /** Of the new branch. */
  name: string
  skill: string
}

interface HeadEntry {
  mode: string
  sha: string
}

interface SkillRepository {
  /** Of the working tree, absolute. */
  top: string
  /** The skill's folder in it: '' at the top, else it ends with /. */
  prefix: string
  head: string
  /** The skill's files in that commit, by path relative to the skill. */
  entries: ReadonlyMap<string, HeadEntry>
}

/**
 * Throws UserError for everything that keeps the branch from being created: no repository or identity, a name that is invalid or taken,
 * or a last commit without the files of `version`, a folder.
 */
export async function checkBranch({ name, skill }: BranchRequest, version: string): Promise<SkillRepository> {
  const repository = await openRepository({ name, skill })
  await refuseName(name, repository)
  await refuseUnknownAuthor(name, repository)
  const different = await findDifference(repository, version).catch(throwGitError({ name, top: repository.top }))
  if (different === null) return repository
  throw new UserError(
    `--branch ${name}: ${repository.prefix}${different} is not as in the last commit (${repository.top})`,
    'commit or undo that change first: the new branch starts at that commit',
  )
}

/** Commits the certified version of an ended session; null: v0 is the best. Throws UserError. */
export async function branchBest(
  { history, workspace, best }: ImproveResult,
  { name, skill: given }: BranchRequest,
): Promise<{ commit: string } | null> {
  if (!isCertified(history)) return null
  const base = improvePaths(workspace).version('v0')
  await requireTestedVersion(history, { name: 'v0', folder: base })
  await requireTestedVersion(history, { name: history.current_best, folder: best })
  const skill = path.resolve(await resolveSkillFolder(path.resolve(given)))
  const { title, sentence } = pullRequestHeading(history)
  const message = `${title}\n\n${sentence}\n`
  return { commit: await commitBranch({ name, skill }, { base, version: best, message }) }
}

export interface BranchContent {
  /** The version that the last commit must have, and the one to commit: folders. */
  base: string
  version: string
  message: string
}

/** Returns the commit's hash. Throws UserError. */
export async function commitBranch(
  { name, skill }: BranchRequest,
  { base, version, message }: BranchContent,
): Promise<string> {
  const repository = await checkBranch({ name, skill }, base)
  const { top, head } = repository
  await using scratch = await openTempDir()
  const env = { GIT_INDEX_FILE: path.join(scratch.path, 'index') }
  const write = async () => {
    const changes = await listIndexChanges(repository, { base, version })
    await runGit(top, ['read-tree', head], { env })
    await runGit(top, ['update-index', '-z', '--index-info'], { env, input: changes.map((one) => `${one}\0`).join('') })
    const tree = await runGit(top, ['write-tree'], { env })
    const commit = await runGit(top, ['commit-tree', tree, '-p', head], { input: message })
    await runGit(top, ['branch', '--no-track', name, commit])
    return commit
  }
  return await write().catch(throwGitError({ name, top }))
}

function throwGitError({ name, top }: { name: string; top: string }) {
  return (error: unknown): never => {
    const isGit = error instanceof Error && 'stderr' in error
    if (!isGit) throw error
    const fix = 'fix that; --resume --branch NAME creates the branch of an ended session without any run'
    throw new UserError(`--branch ${name}: git failed in ${top}: ${gitReason(error)}`, fix)
  }
}

async function openRepository({ name, skill }: BranchRequest): Promise<SkillRepository> {
  const otherwise = 'remove --branch; --apply replaces the skill without git'
  const { top, prefix } = await openGitRepository(skill, { flag: `--branch ${name}`, otherwise })
  const head = await runGit(top, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).catch(() => null)
  const listed = head === null ? '' : await listTree(top, { head, prefix })
  const entries = new Map(
    listed.split('\0').flatMap((line) => {
      const [, mode = '', sha = '', file = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
      const own = file.slice(prefix.length)
      return own === '' || isHiddenFromAgents(own) ? [] : [[own, { mode, sha }] as const]
    }),
  )
  if (head !== null && entries.has('SKILL.md')) return { top, prefix, head, entries }
  throw new UserError(
    `--branch ${name}: ${head === null ? `${top} has no commit yet` : `the last commit has no ${prefix}SKILL.md (${top})`}`,
    'commit the skill first',
  )
}

async function listTree(top: string, { head, prefix }: Pick<SkillRepository, 'head' | 'prefix'>): Promise<string> {
  const place = prefix === '' ? [] : ['--', prefix]
  return await runGit(top, ['ls-tree', '-r', '-z', '--full-tree', head, ...place])
}

async function refuseName(name: string, { top }: SkillRepository): Promise<void> {
  const isValid = await succeeds(runGit(top, ['check-ref-format', `refs/heads/${name}`]))
  if (!isValid || name.startsWith('-') || name === 'HEAD') {
    throw new UserError(`--branch "${name}": invalid name of a branch`, 'use a name such as improve/better-script')
  }
  const branches = (await runGit(top, ['for-each-ref', '--format=%(refname)', 'refs/heads/'])).split('\n')
  const taken = branches
    .map((one) => one.slice('refs/heads/'.length))
    .find((one) => one === name || one.startsWith(`${name}/`) || (one !== '' && name.startsWith(`${one}/`)))
  if (taken === undefined) return
  const what = taken === name ? 'this branch exists already' : `the branch ${taken} leaves no place for it`
  throw new UserError(`--branch ${name}: ${what} (${top})`, 'choose another name')
}

async function refuseUnknownAuthor(name: string, { top }: SkillRepository): Promise<void> {
  for (const who of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) {
    await runGit(top, ['var', who]).catch(() => {
      throw new UserError(
        `--branch ${name}: git does not know the author of a commit (${top})`,
        'run git config user.name and git config user.email first',
      )
    })
  }
}

/** The first file of the skill that is not the same in the version and in the last commit; ignored files do not count. */
async function findDifference(repository: SkillRepository, version: string): Promise<string | null> {
  const { entries, top } = repository
  const { files } = await listSkillFiles(version)
  const names = new Set(files.map((file) => file.path))
  const gone = [...entries].find(([name, { mode }]) => isFileMode(mode) && !names.has(name))
  if (gone !== undefined) return gone[0]
  const hasModes = (await runGit(top, ['config', '--type=bool', 'core.fileMode']).catch(() => 'true')) !== 'false'
  const limit = pLimit(8)
  const compare = async (file: WalkedFile) => {
    const entry = entries.get(file.path)
    if (entry === undefined || !isFileMode(entry.mode)) return null
    const isOtherMode = hasModes && entry.mode !== fileMode(file.source)
    return isOtherMode || entry.sha !== (await hashBlob(repository, file)) ? file.path : null
  }
  const compared = await Promise.all(files.map((file) => limit(() => compare(file))))
  const changed = compared.find((one) => one !== null)
  return changed ?? (await findUntracked(repository, files))
}

/** A file that the last commit lacks, neither ignored nor behind a link. */
async function findUntracked(
  { top, prefix, entries }: SkillRepository,
  files: readonly WalkedFile[],
): Promise<string | null> {
  const lacking = files
    .map((file) => file.path)
    .filter((name) => !entries.has(name) && findLinkAbove(name, entries) === null)
  if (lacking.length === 0) return null
  const input = lacking.map((name) => `${prefix}${name}\0`).join('')
  // fails if none of them is ignored
  const ignored = await runGit(top, ['check-ignore', '--no-index', '-z', '--stdin'], { input }).catch(() => '')
  const known = new Set(ignored.split('\0'))
  return lacking.find((name) => !known.has(`${prefix}${name}`)) ?? null
}

/** Lines for `git update-index --index-info`. What both versions have alike stays as it is in the last commit. */
async function listIndexChanges(
  repository: SkillRepository,
  { base, version }: Pick<BranchContent, 'base' | 'version'>,
): Promise<string[]> {
  const { prefix, entries, head } = repository
  const [before, after] = [await readSkillTexts(base), await readSkillTexts(version)]
  const changed = changedFiles({ before, after }).map((file) => file.path)
  // a link to a folder becomes a folder, if a file behind it changed
  const links = new Set(changed.flatMap((name) => findLinkAbove(name, entries) ?? []))
  const removed = (name: string) => `0 ${'0'.repeat(head.length)}\t${prefix}${name}`
  const { files } = await listSkillFiles(version)
  const names = new Set(files.map((file) => file.path))
  const wasExecutable = new Map(before.map((file) => [file.path, file.isExecutable]))
  const written = files.filter(({ path: name }) => {
    return changed.includes(name) || [...links].some((link) => name.startsWith(`${link}/`))
  })
  const lines = written.map(async (file) => {
    const { path: name, source } = file
    const entry = entries.get(name)
    const keepsMode = entry !== undefined && isFileMode(entry.mode) && wasExecutable.get(name) === isExecutable(source)
    const mode = keepsMode ? entry.mode : fileMode(source)
    return `${mode} ${await hashBlob(repository, file, ['-w'])}\t${prefix}${name}`
  })
  const gone = changed.filter((name) => !names.has(name) && entries.has(name))
  return [...[...links, ...gone].map(removed), ...(await Promise.all(lines))]
}

/** With the repository's filters for that file, as `git add` would store it. */
async function hashBlob(
  { top, prefix }: SkillRepository,
  { path: name, source }: WalkedFile,
  flags: readonly string[] = [],
): Promise<string> {
  return await runGit(top, ['hash-object', ...flags, `--path=${prefix}${name}`, '--', source])
}

/** The link in the last commit that a path goes through; null: none. */
function findLinkAbove(name: string, entries: SkillRepository['entries']): string | null {
  const parts = name.split('/')
  const above = parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))
  return above.find((one) => entries.get(one)?.mode === '120000') ?? null
}

function isFileMode(mode: string): boolean {
  return mode.startsWith('100')
}

function fileMode(file: string): string {
  return isExecutable(file) ? '100755' : '100644'
}

/** The last line that git printed. */
function gitReason(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  return said.split('\n').at(-1) || (error instanceof Error ? error.message : String(error))
}
