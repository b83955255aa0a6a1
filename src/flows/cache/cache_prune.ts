/** cache prune: removes entries unused for long, or the least recently used until the rest is small enough. */

import type { CachePruned } from '../../../schemas/cache_report.ts'
import { UserError } from '../../base/errors/error.ts'
import { cachePaths, clearTemporary } from '../../store/cache/cache.ts'
import { type CacheItem, listCacheItems, removeItem } from '../../store/cache/cache_list.ts'
import { assertNoLinksOut } from '../../store/choose_workspace.ts'
import { findCachedWorkspaces, measureCacheItems } from './cache_stats.ts'

export interface CachePruneRequest {
  /** A workspace, or a folder of them. */
  workspace: string
  /** Milliseconds without use; null: any age. */
  olderThanMs: number | null
  /** Most bytes each cache may keep; null: any. */
  maxBytes: number | null
  all: boolean
  /** Only reports what would be removed. */
  dryRun: boolean
}

/** One result for each cache. Benchmarks lose nothing. Throws UserError if there is no cache or no criterion for removal. */
export async function pruneCaches(request: CachePruneRequest, now: Date): Promise<CachePruned[]> {
  if (!request.all && request.olderThanMs === null && request.maxBytes === null) {
    throw new UserError('cache prune: no filter', 'pass --older-than 30d, --max-size 1GB or --all')
  }
  const pruned: CachePruned[] = []
  for (const workspace of findCachedWorkspaces(request.workspace)) {
    assertNoLinksOut(workspace)
    const cache = cachePaths(workspace)
    const { removed, kept } = splitCacheItems([...listCacheItems(cache)], request, now)
    if (!request.dryRun) {
      for (const item of removed) await removeItem(cache, item)
      await clearTemporary(cache)
    }
    pruned.push({ workspace, removed: measureCacheItems(removed), kept: measureCacheItems(kept) })
  }
  return pruned
}

/** Keeps the most recently used items that fit; removes the first that does not fit and all less recently used ones. */
function splitCacheItems(items: readonly CacheItem[], { all, olderThanMs, maxBytes }: CachePruneRequest, now: Date) {
  const newestFirst = [...items].sort((a, b) => b.usedAt.getTime() - a.usedAt.getTime())
  const [removed, kept]: [CacheItem[], CacheItem[]] = [[], []]
  let [bytes, isFull] = [0, false]
  for (const item of newestFirst) {
    const isOld = olderThanMs !== null && now.getTime() - item.usedAt.getTime() > olderThanMs
    if (all || item.isDamaged || isOld) {
      removed.push(item)
      continue
    }
    bytes += item.bytes
    isFull ||= maxBytes !== null && bytes > maxBytes
    if (isFull) removed.push(item)
    else kept.push(item)
  }
  return { removed, kept }
}
