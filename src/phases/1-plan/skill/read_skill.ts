/** Reads a skill folder, from disk or at a git ref: what SKILL.md says, and the files that agents may see (never evals). */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { LoadWarning, Skill } from '../../../../schemas/suite.ts'
import { errnoCode, errorMessage, UserError } from '../../../base/errors/error.ts'
import { describeMissingPath, isDeadLink } from '../../../base/fs/dead_link.ts'
import { copyWalk, hashWalk, listEntries, pathExists, type Walk, walk } from '../../../base/fs/files.ts'
import { missingPathError } from '../../../base/fs/nearest_path.ts'
import { openTempDir, resolveTmp } from '../../../base/fs/temp_dir.ts'
import { readText } from '../../../base/json/json.ts'
import { runGit } from '../../../base/process/git.ts'
import { didYouMean } from '../../../base/text/did_you_mean.ts'
import { missingScripts } from '../check/text/missing_scripts.ts'
import { readFrontmatter } from './frontmatter.ts'
import { followSkillLinks, refuseSkillLinks, type SkillLinks } from './skill_links.ts'

/** Left out at any depth. */
const hiddenAnywhere = new Set(['.git', 'node_modules', '.DS_Store'])
/** Left out at the top of the skill: the answers, results and Whetstone's configuration. */
const hiddenAtTop = new Set([
  ...['evals', 'evals.json', 'workspaces'],
  ...['whetstone.config.yaml', 'whetstone.config.yml', 'whetstone.config.json'],
])

/**
 * Reads a skill. An invalid name is only a warning, since agents load such skills too. Throws UserError for a missing
 * folder, SKILL.md, frontmatter, name or description, and for a link out of the skill that is not followed.
 */
export async function readSkill(
  folder: string,
  links: SkillLinks = 'repository',
): Promise<{ skill: Skill; warnings: LoadWarning[] }> {
  const root = path.resolve(folder)
  const file = await skillFile(root)
  const text = await readText(file)
  const { name, description, warnings } = readFrontmatter(text, file)
  const { files, leftOut } = await listSkillFiles(root, links)
  refuseSkillLinks(root, leftOut)
  const messages = [...warnings, ...doubts(name, description, path.basename(root))]
  const missed = leftOut.map(({ path: at, reason, target }) => {
    const to = target === undefined ? '' : ` to ${target}`
    return { file: root, at, message: `${reason}${to}: agents get the skill without it` }
  })
  const known = files.map((one) => one.path)
  const scripts = missingScripts(text.split(/\r?\n/), known).map(({ script, line }) => {
    return { file, at: `line ${line + 1}`, message: `SKILL.md calls ${script}, which does not exist` }
  })
  return {
    skill: { name, description, path: root, sha256: await hashWalk(files) },
    warnings: [...messages.map((message) => ({ file, at: 'frontmatter', message })), ...missed, ...scripts],
  }
}

const folderFix = 'pass the folder that contains SKILL.md'

/**
 * Lists every file of the skill that an agent may see. Follows links out of it, since readSkill refuses those that the user
 * does not want. Throws UserError if the folder is missing, or if there is too much behind its links.
 */
export async function listSkillFiles(folder: string, links: SkillLinks = 'copy'): Promise<Walk> {
  if (!(await pathExists(folder))) throw missingPathError(folder, 'folder', folderFix)
  const outside = followSkillLinks(folder, links, isHiddenFromAgents)
  return walk(folder, { skip: isHiddenFromAgents, outside })
}

/** Whether a path relative to the skill (with /) is hidden from agents. */
export function isHiddenFromAgents(relative: string): boolean {
  const parts = relative.split('/')
  const isHidden = (part: string) => hiddenAnywhere.has(part) || /^EVAL\.md$|.\.(EVAL|eval)\.md$/.test(part)
  return hiddenAtTop.has(parts[0] ?? '') || parts.some(isHidden)
}

async function skillFile(root: string): Promise<string> {
  const info = await stat(root).catch(() => null)
  const fix = folderFix
  if (info === null) throw missingPathError(root, 'folder', fix)
  if (!info.isDirectory()) throw new UserError(`${root}: not a folder`, fix)
  const file = path.join(root, 'SKILL.md')
  if (await pathExists(file)) return file
  if (isDeadLink(file)) throw new UserError(`${file}: ${describeMissingPath(file, 'no such file')}`, fix)
  const other = listEntries(root).find(({ name }) => name.toLowerCase() === 'skill.md')
  const rename = other === undefined ? null : `rename ${other.name} to SKILL.md`
  throw new UserError(
    `${root}: no SKILL.md in this folder`,
    rename ?? skillsFix(root) ?? 'add a SKILL.md, or pass the folder that contains one',
  )
}

/** Hint for a folder that contains skills; null: it contains none. */
function skillsFix(root: string): string | null {
  const [first] = listEntries(root).filter(({ name }) => existsSync(path.join(root, name, 'SKILL.md')))
  if (first === undefined) return null
  const shown = path.relative(process.cwd(), root) || '.'
  return `the folder contains skills: pass one, such as ${path.join(shown, first.name)}, or all: ${shown}/*`
}

/** Breaches of the rules of SKILL.md that leave the name and description usable. */
function doubts(name: string, description: string, folder: string): string[] {
  const found: string[] = []
  if (name !== folder) found.push(`name is ${name}, its folder is ${folder}; they should be equal`)
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > 64) {
    found.push(`name ${name}: agents expect 1 to 64 of a-z, 0-9 and single hyphens between them`)
  }
  if (description.length > 1024) found.push(`description has ${description.length} characters; agents allow 1,024`)
  return found
}

export interface GitVersionRequest {
  /** The skill's folder, inside a git repository. */
  folder: string
  ref: string
  /** Folder for its files; created if missing. */
  target: string
  /** Links that lead out of the skill; absent: those within the repository are copied. */
  links?: SkillLinks | undefined
}

/**
 * Writes the committed files of the folder at that ref. Uses an index of its own, because `git archive` leaves out
 * what the repository marks export-ignore. Throws UserError for a folder outside git, an unknown ref (with the
 * nearest), or a ref without the folder.
 */
export async function exportGitVersion({ folder, ref, target, links }: GitVersionRequest): Promise<void> {
  const flag = `--baseline git:${ref}`
  const top = await runGit(folder, ['rev-parse', '--show-toplevel']).catch((error: unknown) => {
    if (errnoCode(error) === 'ENOENT')
      throw new UserError(
        `${flag}: git can't be started in ${folder}`,
        'install git, or pass a folder: --baseline <path>',
      )
    throw new UserError(
      `${flag}: the skill is not in a git repository (${folder})`,
      'pass a folder instead: --baseline <path>',
    )
  })
  const prefix = await runGit(folder, ['rev-parse', '--show-prefix'])
  const commit = await runGit(folder, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${ref}^{commit}`,
  ]).catch(async () => {
    throw new UserError(`${flag}: no such ref in ${top}`, await hint(folder, ref))
  })
  const tree = `${commit}:${prefix.replace(/\/$/, '')}`
  const kind = await runGit(folder, ['cat-file', '-t', tree]).catch(() => null)
  if (kind !== 'tree') {
    const fix = 'use a later ref, or pass a folder with the older version'
    throw new UserError(`${flag}: ${prefix || 'the folder'} did not exist at ${ref}`, fix)
  }
  await mkdir(target, { recursive: true })
  const place = { top, tree, target: path.resolve(target) }
  await exportTree(place, { commit, prefix, links }).catch((error: unknown) => {
    throw new UserError(`${flag}: ${errorMessage(error)}`, 'pass a folder instead: --baseline <path>')
  })
}

interface TreePlace {
  top: string
  tree: string
  target: string
}

/** A link may lead to another folder of the repository, so a version with links is taken from the whole commit. */
async function exportTree(
  place: TreePlace,
  { commit, prefix, links = 'repository' }: { commit: string; prefix: string; links: SkillLinks | undefined },
): Promise<void> {
  const entries = await runGit(place.top, ['ls-tree', '-r', place.tree])
  if (!/^120000 /m.test(entries)) {
    await checkOut(place)
    return
  }
  await using whole = await openTempDir()
  await checkOut({ top: place.top, tree: commit, target: whole.path })
  await writeFile(path.join(whole.path, '.git'), '') // marks the top of the repository
  const { files, leftOut } = await listSkillFiles(path.join(whole.path, prefix), links)
  refuseSkillLinks('', leftOut)
  await copyWalk(files, place.target)
}

async function checkOut({ top, tree, target }: TreePlace): Promise<void> {
  const scratch = await mkdtemp(path.join(resolveTmp(), 'whetstone-index-'))
  try {
    const env = { GIT_INDEX_FILE: path.join(scratch, 'index') }
    await runGit(top, ['read-tree', tree], { env })
    await runGit(top, ['checkout-index', '--all', '--force', `--prefix=${target}/`], { env })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function hint(folder: string, ref: string): Promise<string> {
  const refs = (await runGit(folder, ['for-each-ref', '--format=%(refname:short)'])).split('\n').filter(Boolean)
  const near = didYouMean(ref, ['HEAD', ...refs])
  if (near !== null) return near
  return refs.length === 0
    ? 'commit the skill first'
    : `expected one of ${refs.slice(0, 5).join(', ')}, or a commit hash`
}
