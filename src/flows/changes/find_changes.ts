/** --changed: selects what a branch touches, which is every place with a file that differs from the merge base with a ref. */
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { findCommit, isShallowClone, openGitRepository, runGit } from '../../base/process/git.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import type { FlowContext } from '../flow_context.ts'

export interface ChangesWish<T> {
  /** Such as origin/main. */
  ref: string
  /** What is selected, in the singular: skill, suite. */
  noun: string
  /** The files and folders of a place, absolute; a change in any of them selects it. */
  listFolders: (place: T) => readonly string[] | Promise<readonly string[]>
}

/**
 * The changed places, in order: with committed, staged, unstaged and untracked changes, not with ignored files. Emits how many. Throws
 * UserError for a place outside git, an unknown ref, and histories without a common commit.
 */
export async function selectChanged<T>(
  places: readonly T[],
  { ref, noun, listFolders }: ChangesWish<T>,
  { emit }: Pick<FlowContext, 'emit'>,
): Promise<T[]> {
  const repositories = new Map<string, RepositoryChanges>()
  const changed: T[] = []
  for (const place of places) {
    if (await hasChange(await listFolders(place), ref, repositories)) changed.push(place)
  }
  const notes = [...repositories.values()].flatMap(({ note }) => note ?? [])
  const count = changed.length === 0 ? 'no' : `${changed.length} of`
  const all = changed.length === 0 ? noun : formatPlural(places.length, noun)
  const since = `changed since ${ref}${[...new Set(notes)].map((note) => ` (${note})`).join('')}`
  const message = `${count} ${all} ${since}${changed.length === 0 ? ': nothing to do' : ''}`
  emit({ type: 'changes_found', ref, changed: changed.length, of: places.length, message })
  return changed
}

interface RepositoryChanges {
  /** Absolute paths without links. */
  files: string[]
  /** Which ref is used instead; null: the one asked for. */
  note: string | null
}

async function hasChange(
  folders: readonly string[],
  ref: string,
  repositories: Map<string, RepositoryChanges>,
): Promise<boolean> {
  for (const folder of folders) {
    const real = await realpath(folder)
    const start = (await stat(real)).isDirectory() ? real : path.dirname(real)
    const flag = `--changed ${ref}`
    const { top } = await openGitRepository(start, { flag, otherwise: 'leave out --changed' })
    const known = repositories.get(top) ?? (await listChanges(top, ref, flag))
    repositories.set(top, known)
    if (known.files.some((file) => isOfPlace(path.relative(real, file)))) return true
  }
  return false
}

/** A file of the place itself; results that runs left in it are none of its content. */
function isOfPlace(relative: string): boolean {
  if (relative === '..' || relative.startsWith(`..${path.sep}`)) return false
  return relative.split(path.sep)[0] !== 'workspaces'
}

async function listChanges(top: string, ref: string, flag: string): Promise<RepositoryChanges> {
  const { commit, note } = await findCommit(top, ref, flag)
  const base = await runGit(top, ['merge-base', commit, 'HEAD']).catch(() => null)
  if (base === null) throw await explainNoBase(top, ref, flag)
  const differs = ['diff', '--name-only', '--no-renames', '-z', base, '--']
  const listed = [await runGit(top, differs), await runGit(top, ['ls-files', '--others', '--exclude-standard', '-z'])]
  const root = await realpath(top)
  const names = listed.flatMap((text) => text.split('\0')).filter((name) => name !== '')
  return { files: names.map((name) => path.join(root, name)), note }
}

async function explainNoBase(top: string, ref: string, flag: string): Promise<UserError> {
  const message = `${flag}: no common commit of ${ref} and HEAD (${top})`
  if (await isShallowClone(top)) {
    return new UserError(
      `${message}: the clone is shallow`,
      'git fetch --unshallow; in GitHub Actions set fetch-depth: 0',
    )
  }
  return new UserError(message, 'name a branch or commit of the same history')
}
