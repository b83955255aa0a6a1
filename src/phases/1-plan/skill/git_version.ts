/** Writes a skill as it was at a git ref, also from the place it had there before it was moved. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { succeeds } from '../../../base/errors/attempt.ts'
import { errorMessage, UserError } from '../../../base/errors/error.ts'
import { copyWalk } from '../../../base/fs/files.ts'
import { openTempDir, resolveTmp } from '../../../base/fs/temp_dir.ts'
import { findCommit, openGitRepository, runGit } from '../../../base/process/git.ts'
import { listSkillFiles } from './read_skill.ts'
import { refuseSkillLinks, type SkillLinks } from './skill_links.ts'

export interface GitVersionRequest {
  /** The skill's folder, inside a git repository. */
  folder: string
  ref: string
  /** Folder for its files; created if missing. */
  target: string
  /** Links that lead out of the skill; absent: those within the repository are copied. */
  links?: SkillLinks | undefined
}

export interface GitVersion {
  /** Whether the skill existed at the ref, here or at another place; false: nothing is written. */
  existed: boolean
  /** What the user should know: another ref or place is used, or the skill is new. */
  notes: string[]
}

const otherwise = 'pass a folder instead: --baseline <path>'

/**
 * Writes the committed files of the skill at that ref. Uses an index of its own, because `git archive` leaves out what the
 * repository marks export-ignore. Throws UserError for a folder outside git and an unknown ref.
 */
export async function exportGitVersion({ folder, ref, target, links }: GitVersionRequest): Promise<GitVersion> {
  const flag = `--baseline git:${ref}`
  const { top, prefix } = await openGitRepository(folder, { flag, otherwise })
  const { commit, ref: used, note } = await findCommit(top, ref, flag)
  const notes = note === null ? [] : [`${flag}: ${note}`]
  const place = await findSkillAt(commit, { top, prefix })
  if (place === null) {
    return {
      existed: false,
      notes: [...notes, `new skill: it did not exist at ${used}, so the baseline runs without a skill`],
    }
  }
  if (place !== prefix) notes.push(`moved skill: at ${used} it was in ${place || 'the top folder'}, the baseline`)
  await mkdir(target, { recursive: true })
  const tree = `${commit}:${place.replace(/\/$/, '')}`
  await exportTree({ top, tree, target: path.resolve(target) }, { commit, prefix: place, links }).catch(
    (error: unknown) => {
      throw new UserError(`${flag}: ${errorMessage(error)}`, otherwise)
    },
  )
  return { existed: true, notes }
}

/** The skill's folder at that commit, with a slash at the end ('': the top): its own, else the one it was moved from; null: neither. */
async function findSkillAt(commit: string, { top, prefix }: { top: string; prefix: string }): Promise<string | null> {
  const file = `${prefix}SKILL.md`
  const isThere = await succeeds(runGit(top, ['cat-file', '-e', `${commit}:${file}`]))
  if (isThere) return prefix
  const renames = ['diff', '--name-status', '-z', '--find-renames=60%', '--diff-filter=R']
  const listed = await runGit(top, [...renames, commit, '--', ':(glob)**/SKILL.md']).catch(() => '')
  const parts = listed.split('\0')
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [, from = '', to] = parts.slice(at, at + 3)
    if (to === file) return from.slice(0, -'SKILL.md'.length)
  }
  return null
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
