/** Finds benchmark folders whose process was killed before it wrote anything. */
import { readdir, rm } from 'node:fs/promises'
import { takeLease } from '../../store/lease/lease.ts'
import type { Collection } from '../../store/paths.ts'
import { listBenchmarks } from '../../store/store.ts'

/** Removes them, except one that another process has just created and locked. */
export async function clearAbandonedBenchmarks(
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

/** True if it contains only leases and temporary files. */
async function isBare(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => ['unreadable'])
  return names.every((name) => name.startsWith('.'))
}
