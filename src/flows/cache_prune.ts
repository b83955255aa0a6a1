/** cache prune: removes what has not been used for long, or what is used longest ago until the rest is small enough. */
import type { CachePruned } from '../../schemas/cache_report.ts'
import { UserError } from '../base/error.ts'
import { cacheOf, clearTemporary } from '../store/cache.ts'
import { type CacheItem, cacheItems, removeItem } from '../store/cache_list.ts'
import { amountOf, workspacesIn } from './cache_stats.ts'

export interface PruneRequest {
  /** A workspace, or a folder of them. */
  workspace: string
  /** Milliseconds without use; null: age does not matter. */
  olderThanMs: number | null
  /** Bytes that each cache may keep; null: any. */
  maxBytes: number | null
  all: boolean
  /** Only says what would go. */
  dryRun: boolean
}

/** One for each cache. No benchmark loses anything by it. Throws UserError where there is no cache, or nothing says what should go. */
export async function cachePrune(request: PruneRequest, now: Date): Promise<CachePruned[]> {
  if (!request.all && request.olderThanMs === null && request.maxBytes === null) {
    throw new UserError('cache prune: nothing says what should go', 'give --older-than 30d, --max-size 1GB or --all')
  }
  const pruned: CachePruned[] = []
  for (const workspace of workspacesIn(request.workspace)) {
    const cache = cacheOf(workspace)
    const { removed, kept } = parted([...cacheItems(cache)], request, now)
    if (!request.dryRun) {
      for (const item of removed) await removeItem(cache, item)
      await clearTemporary(cache)
    }
    pruned.push({ workspace, removed: amountOf(removed), kept: amountOf(kept) })
  }
  return pruned
}

/** Of what is used last as much is kept as fits; the first that does not fit goes, and all that is used less recently. */
function parted(items: readonly CacheItem[], { all, olderThanMs, maxBytes }: PruneRequest, now: Date) {
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
