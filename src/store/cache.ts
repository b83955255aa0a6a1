/** The cache of a workspace: where its entries lie, and temporary folders that become entries by one rename. */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { codeOf } from '../base/error.ts'
import { isAlive, ownStart } from '../base/processes.ts'

export interface Cache {
  /** `<workspace>/.cache`, absolute. */
  folder: string
  /** One folder a run, named by its key. */
  runs: string
  /** One file a judge's answer, named by its key. */
  answers: string
  /** Entries on their way in and out; each name says whose it is. */
  temporary: string
}

export function cacheOf(workspace: string): Cache {
  const folder = path.join(workspace, '.cache')
  return {
    folder,
    runs: path.join(folder, 'runs'),
    answers: path.join(folder, 'judge'),
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

/** Makes the folders, and clears what processes that are gone left on the way. Throws what the file system throws. */
export async function openCache(workspace: string): Promise<Cache> {
  const cache = cacheOf(workspace)
  for (const folder of [cache.runs, cache.answers, cache.temporary]) mkdirSync(folder, { recursive: true })
  await clearTemporary(cache)
  return cache
}

/** Removes the temporary folders of processes that are gone; gives how many. */
export async function clearTemporary(cache: Cache): Promise<number> {
  let cleared = 0
  for (const name of namesIn(cache.temporary)) {
    const [, pid, start = null] = /^(\d+)(?:\.(\d+))?-/.exec(name) ?? []
    if (pid !== undefined && (await isAlive(Number(pid), start))) continue
    rmSync(path.join(cache.temporary, name), { recursive: true, force: true })
    cleared += 1
  }
  return cleared
}

let unique = 0

/** A free name among the temporary folders. */
export async function temporaryName(cache: Cache): Promise<string> {
  const start = await ownStart()
  unique += 1
  return path.join(cache.temporary, `${process.pid}${start === null ? '' : `.${start}`}-${unique}`)
}

/**
 * Moves a whole folder to its place. Where one is there already it is kept, or replaced when asked; a reader meanwhile finds the
 * old one, the new one or none.
 */
export function moveIn(folder: string, target: string, { replace, aside }: { replace: boolean; aside: string }): void {
  if (tryRename(folder, target)) return
  if (replace) {
    removeWhole(target, aside)
    if (tryRename(folder, target)) return
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Takes a folder away by one rename, so that nobody finds a part of it, then removes it. */
export function removeWhole(folder: string, aside: string): void {
  try {
    renameSync(folder, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  rmSync(aside, { recursive: true, force: true })
}

function tryRename(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Names in a folder; none where it is not there. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
