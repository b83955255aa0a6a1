/** cache stats: what the caches below a folder contain, and what the latest benchmark reused. */
import path from 'node:path'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import type { CacheStats } from '../../../schemas/cache_report.ts'
import { UserError } from '../../base/errors/error.ts'
import { readJson } from '../../base/json/json.ts'
import { cachePaths } from '../../store/cache/cache.ts'
import { type CacheItem, listCachedWorkspaces, listCacheItems } from '../../store/cache/cache_list.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { listBenchmarks } from '../../store/store.ts'

/** One result for each cache. `workspace`: a workspace, or a folder of workspaces. Throws UserError where there is no cache. */
export async function readCacheStats(workspace: string): Promise<CacheStats[]> {
  return await Promise.all(findCachedWorkspaces(workspace).map(readWorkspaceStats))
}

/** The workspaces with a cache. Throws UserError where there is none. */
export function findCachedWorkspaces(workspace: string): string[] {
  const found = listCachedWorkspaces(path.resolve(workspace))
  if (found.length > 0) return found
  throw new UserError(
    `${workspace}: no cache found`,
    'set --workspace to the workspace of a benchmark, or to a folder of workspaces',
  )
}

async function readWorkspaceStats(workspace: string): Promise<CacheStats> {
  const items = [...listCacheItems(cachePaths(workspace))]
  const runs = items.filter(({ kind }) => kind === 'run')
  const made = runs.flatMap(({ entry }) => entry?.from.at ?? []).sort()
  return {
    workspace,
    runs: measureCacheItems(runs),
    answers: measureCacheItems(items.filter(({ kind }) => kind === 'answer')),
    damaged: items.filter(({ isDamaged }) => isDamaged).length,
    oldest: made[0] ?? null,
    newest: made.at(-1) ?? null,
    by: groupCachedRuns(runs),
    last_bench: await lastBench(workspace),
  }
}

function groupCachedRuns(runs: readonly CacheItem[]): CacheStats['by'] {
  const groups = new Map<string, CacheStats['by'][number]>()
  for (const { entry, bytes } of runs) {
    if (entry === null) continue
    const { engine = '', model = 'none' } = entry.parts
    const name = JSON.stringify([entry.skill_name, engine, model])
    const one = groups.get(name) ?? {
      skill: entry.skill_name,
      engine,
      model: model === 'none' ? null : model,
      entries: 0,
      bytes: 0,
    }
    groups.set(name, { ...one, entries: one.entries + 1, bytes: one.bytes + bytes })
  }
  return [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}

async function lastBench(workspace: string): Promise<CacheStats['last_bench']> {
  for (const folder of await listBenchmarks(workspace)) {
    const made = await readJson(benchmarkSchema, benchmarkPaths(folder).benchmark).catch(() => null)
    if (made === null) continue
    return { benchmark: path.basename(folder), reused: made.reused?.runs ?? 0, planned: made.counts?.planned ?? 0 }
  }
  return null
}

/** The number of items and their total bytes. */
export function measureCacheItems(items: readonly Pick<CacheItem, 'bytes'>[]): { entries: number; bytes: number } {
  return { entries: items.length, bytes: items.reduce((sum, { bytes }) => sum + bytes, 0) }
}
