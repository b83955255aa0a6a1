/** All that lies in a cache, with its size and when it was last used: to count it and to clear it. */
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { CacheEntry } from '../../schemas/cache.ts'
import { type Cache, cacheOf, entryPaths, namesIn, removeWhole, temporaryName } from './cache.ts'
import { unpack } from './cache_pack.ts'

export interface CacheItem {
  kind: 'run' | 'answer'
  /** Its folder or file, absolute. */
  place: string
  /** On disk; a large file that a benchmark shares counts here too. */
  bytes: number
  /** When it was kept or last taken. */
  usedAt: Date
  /** Of a run; null: damaged, or of an answer. */
  entry: CacheEntry | null
  isDamaged: boolean
}

/** Everything in the cache. What another process removes meanwhile is passed over. */
export function* cacheItems(cache: Cache): Generator<CacheItem> {
  for (const key of namesIn(cache.runs)) {
    const { folder, entry: file } = entryPaths(cache, key)
    const info = infoOf(file)
    const entry = info === null ? null : entryIn(file)
    const usedAt = info?.mtime ?? infoOf(folder)?.mtime
    if (usedAt === undefined) continue
    yield { kind: 'run', place: folder, bytes: bytesBelow(folder), usedAt, entry, isDamaged: entry === null }
  }
  for (const name of namesIn(cache.answers)) {
    const place = path.join(cache.answers, name)
    const info = infoOf(place)
    if (info === null) continue
    yield { kind: 'answer', place, bytes: info.size, usedAt: info.mtime, entry: null, isDamaged: false }
  }
}

/** Every run's description; damaged ones are left out. */
export function* cacheEntries(cache: Cache): Generator<CacheEntry> {
  for (const key of namesIn(cache.runs)) {
    const entry = entryIn(entryPaths(cache, key).entry)
    if (entry !== null) yield entry
  }
}

/** Takes it away whole: who reads it just now finds all of it or nothing. */
export async function removeItem(cache: Cache, item: CacheItem): Promise<void> {
  removeWhole(item.place, await temporaryName(cache))
}

/** The caches of a folder of workspaces: its own, and those up to two folders below it. Absolute paths of the workspaces. */
export function workspacesWithCache(root: string): string[] {
  const below = (folder: string) =>
    namesIn(folder)
      .filter((name) => !name.startsWith('.'))
      .map((name) => path.join(folder, name))
  const first = below(root)
  const all = [root, ...first, ...first.flatMap(below)]
  return all.filter((folder) => existsSync(cacheOf(folder).runs))
}

function entryIn(file: string): CacheEntry | null {
  try {
    return unpack(readFileSync(file), file).entry
  } catch {
    return null
  }
}

function infoOf(file: string) {
  return lstatSync(file, { throwIfNoEntry: false }) ?? null
}

function bytesBelow(folder: string): number {
  return namesIn(folder).reduce((sum, name) => {
    const file = path.join(folder, name)
    const info = infoOf(file)
    return sum + (info?.isDirectory() ? bytesBelow(file) : (info?.size ?? 0))
  }, 0)
}
