/** Resolves a benchmark on the command line: its folder, or a workspace, which means its newest benchmark. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { benchmarkPaths } from '../../../store/paths.ts'
import { listBenchmarks } from '../../../store/store.ts'
import { toSafeLine } from '../../terminal/style.ts'

/** Reports which benchmark of a workspace it chose; returns any other folder unchanged. */
export async function resolveGivenBenchmark(place: string, { json }: { json: boolean }): Promise<string> {
  const folder = path.resolve(place)
  if (existsSync(benchmarkPaths(folder).plan)) return place
  const [newest] = await listBenchmarks(folder)
  if (newest === undefined) return place
  const shown = path.relative(process.cwd(), newest)
  if (!json) process.stderr.write(`${toSafeLine(`${place} is a workspace; using its newest benchmark: ${shown}`)}\n`)
  return shown
}
