/** Benchmark folders that were made and then left before anything was in them: their process was killed. */
import { readdir, rm } from 'node:fs/promises'
import { takeLease } from '../store/lease.ts'
import type { Collection } from '../store/paths.ts'
import { listBenchmarks } from '../store/store.ts'

/** Removes them; one that another process has just made, and holds, is left alone. */
export async function clearAbandoned(
  workspace: string,
  signal: AbortSignal,
  collection: Collection = 'benchmarks',
): Promise<void> {
  for (const folder of await listBenchmarks(workspace, collection)) {
    if (!(await isBare(folder))) continue
    const lease = await takeLease(folder, { signal })
    if ('heldBy' in lease) continue
    await using _ = lease
    if (await isBare(folder)) await rm(folder, { recursive: true, force: true })
  }
}

/** Nothing in it but leases and temporary files. */
async function isBare(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => ['unreadable'])
  return names.every((name) => name.startsWith('.'))
}
