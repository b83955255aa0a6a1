/** Finds the pages that `rank` and `watch` write themselves. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { readNames } from '../../base/fs/tree_size.ts'
import { rankPaths } from '../../store/paths.ts'
import { listBenchmarks } from '../../store/store.ts'

/**
 * The page of the rank or the watch in a folder; of a workspace without a benchmark, that of its newest rank, else of a watch. Both
 * absolute; null: there is none.
 */
export async function findWrittenPage(folder: string): Promise<string | null> {
  const own = findPage(folder)
  if (own !== null) return own
  const [newest] = await listBenchmarks(folder)
  if (newest !== undefined) return null
  const below = ['ranks', 'watch'].flatMap((kind) =>
    readNames(path.join(folder, kind))
      .sort()
      .reverse()
      .map((name) => findPage(path.join(folder, kind, name))),
  )
  return below.find((page) => page !== null) ?? null
}

function findPage(folder: string): string | null {
  const { rank, page } = rankPaths(folder)
  const pairs = [
    [rank, page],
    [path.join(folder, 'watch.json'), path.join(folder, 'watch.html')],
  ] as const
  return pairs.find(([data, shown]) => existsSync(data) && existsSync(shown))?.[1] ?? null
}
