/** Lists the content of a cache with sizes and last uses, for counting and clearing it. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { CacheEntry } from '../../../schemas/cache.ts'
import { attempt } from '../../base/errors/attempt.ts'
import { readRegularFile } from '../../base/fs/special_files.ts'
import { readNames, sumTreeBytes, tryReadInfo } from '../../base/fs/tree_size.ts'
import { type Cache, entryPaths, readBody, removeWhole, type SignedCache, temporaryName } from './cache.ts'
import { unpackEntry } from './cache_pack.ts'
import { readOwnEntry } from './cache_run.ts'

export interface CacheItem {
  kind: 'run' | 'answer'
  /** Its folder or file, absolute. */
  place: string
  /** On disk, including large files shared with a benchmark. */
  bytes: number
  /** When it was stored or last used. */
  usedAt: Date
  /** The entry of a run; null: damaged, or an answer. */
  entry: CacheEntry | null
  isDamaged: boolean
}

/** Everything in the cache. Skips what another process removes during the listing, and what another program put there. */
export function* listCacheItems(cache: Cache): Generator<CacheItem> {
  for (const key of listRunKeys(cache)) {
    const { folder, entry: file } = entryPaths(cache, key)
    const info = tryReadInfo(file)
    const entry = info === null ? null : readListedEntry(file)
    const usedAt = info?.mtime ?? tryReadInfo(folder)?.mtime
    if (usedAt === undefined) continue
    yield { kind: 'run', place: folder, bytes: sumTreeBytes(folder), usedAt, entry, isDamaged: entry === null }
  }
  for (const folder of [cache.answers, cache.passes]) {
    for (const name of readNames(folder).filter((one) => answerName.test(one))) {
      const place = path.join(folder, name)
      const info = tryReadInfo(place)
      if (info === null) continue
      yield { kind: 'answer', place, bytes: info.size, usedAt: info.mtime, entry: null, isDamaged: false }
    }
  }
}

const runName = /^[0-9a-f]{64}$/
/** Earlier versions added `.json`. */
const answerName = /^[0-9a-f]{64}(?:\.json)?$/

function listRunKeys(cache: Cache): string[] {
  return readNames(cache.runs).filter((name) => runName.test(name))
}

/** Every run's description, without damaged ones and those of other people. */
export function* listOwnEntries(cache: SignedCache): Generator<CacheEntry> {
  for (const key of listRunKeys(cache)) {
    const entry = readOwnEntry(cache, key)
    if (entry !== null) yield entry
  }
}

/** Removes an item at once: a concurrent reader finds all of it or nothing. */
export async function removeItem(cache: Cache, item: CacheItem): Promise<void> {
  mkdirSync(cache.temporary, { recursive: true }) // without it the rename fails, as for an item that is gone
  removeWhole(item.place, await temporaryName(cache))
}

function readListedEntry(file: string): CacheEntry | null {
  return attempt(() => unpackEntry(readBody(readRegularFile(file), file), file).entry, null)
}
