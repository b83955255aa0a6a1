/** The cache of a workspace: its paths, and temporary folders that become entries by one rename. */
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { errnoCode } from '../../base/errors/error.ts'
import { readNames } from '../../base/fs/tree_size.ts'
import { isAlive, readOwnStart } from '../../base/process/marked_processes.ts'
import type { ResultSigner } from '../signing/signer.ts'

export interface Cache {
  /** `<workspace>/.cache`, absolute. */
  folder: string
  /** One folder per run, named by its key. */
  runs: string
  /** One file per judge's answer, named by its key. */
  answers: string
  /** One file per passed case of eval, named by its key. */
  passes: string
  /** Entries on their way in and out; each name identifies its owner. */
  temporary: string
}

/** A cache whose entries count only with this signature. */
export interface SignedCache extends Cache {
  signer: ResultSigner
}

export function cachePaths(workspace: string): Cache {
  const folder = path.join(workspace, '.cache')
  return {
    folder,
    runs: path.join(folder, 'runs'),
    answers: path.join(folder, 'judge'),
    passes: path.join(folder, 'passes'),
    temporary: path.join(folder, 'tmp'),
  }
}

/** Paths of one run's entry. */
export function entryPaths(cache: Cache, key: string) {
  const folder = path.join(cache.runs, key)
  return {
    folder,
    entry: path.join(folder, 'entry'),
    files: path.join(folder, 'files'),
    gradings: path.join(folder, 'gradings'),
  }
}

/** Creates the folders, and cleans up after processes that are gone. Throws what the file system throws. */
export async function openCache(workspace: string): Promise<Cache> {
  const cache = cachePaths(workspace)
  for (const folder of [cache.runs, cache.answers, cache.temporary]) mkdirSync(folder, { recursive: true })
  await clearTemporary(cache)
  return cache
}

/** Removes the temporary folders of processes that are gone, and nothing with another name; returns their number. */
export async function clearTemporary(cache: Cache): Promise<number> {
  let cleared = 0
  for (const name of readNames(cache.temporary)) {
    const [, pid, start = null] = /^(\d+)(?:\.(\d+))?-\d+(?:-[a-z]+)?$/.exec(name) ?? []
    if (pid === undefined || (await isAlive(Number(pid), start))) continue
    rmSync(path.join(cache.temporary, name), { recursive: true, force: true })
    cleared += 1
  }
  return cleared
}

let unique = 0

/** A free name for a temporary folder. */
export async function temporaryName(cache: Cache): Promise<string> {
  const start = await readOwnStart()
  unique += 1
  return path.join(cache.temporary, `${process.pid}${start === null ? '' : `.${start}`}-${unique}`)
}

/**
 * Moves a complete folder to its place. Keeps an existing one, or replaces it if requested; a concurrent reader finds the
 * old one, the new one or none.
 */
export function moveIntoPlace(
  folder: string,
  target: string,
  { replace, aside }: { replace: boolean; aside: string },
): void {
  if (tryRename(folder, target)) return
  if (replace) {
    removeWhole(target, aside)
    if (tryRename(folder, target)) return
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Renames a folder first, so that no reader finds a part of it, then removes it. */
export function removeWhole(folder: string, aside: string): void {
  try {
    renameSync(folder, aside)
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return
    throw error
  }
  rmSync(aside, { recursive: true, force: true })
}

function tryRename(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (errnoCode(error) === 'ENOTEMPTY' || errnoCode(error) === 'EEXIST') return false
    throw error
  }
}
