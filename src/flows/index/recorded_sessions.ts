/** What an index says of a workspace's recorded sessions: they are not a benchmark, so they have no row of their own. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import type { IndexRow } from '../../../schemas/benchmark_index.ts'
import { benchmarkHeadline } from '../../phases/4-report/text/headline.ts'
import { tryReadArtefact } from '../../store/artefacts/damage.ts'
import { benchmarkPaths, collectionFolder, isTimestampName } from '../../store/paths.ts'

/** The newest sessions that were graded in a workspace, with their report; empty: none. Both folders absolute. */
export function describeSessions(root: string, workspace: string): NonNullable<IndexRow['beside']> {
  const folder = collectionFolder(workspace, 'recorded')
  const names = existsSync(folder) ? readdirSync(folder).filter(isTimestampName) : []
  for (const name of names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))) {
    const paths = benchmarkPaths(path.join(folder, name))
    const found = tryReadArtefact(benchmarkSchema, paths.benchmark, () => {})
    if (found === null) continue
    const report = path.relative(root, paths.report).replaceAll(path.sep, '/')
    return [{ tab: 'sessions', text: `Recorded sessions: ${benchmarkHeadline(found)}`, report }]
  }
  return []
}
