/** A benchmark as a command line names it: by its folder, or by its workspace, whose newest one is meant. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { benchmarkPaths } from '../store/paths.ts'
import { listBenchmarks } from '../store/store.ts'
import { safe } from './style.ts'

/** Says which one is taken of a workspace; any other folder is given back as it is. */
export async function benchmarkGiven(place: string, { json }: { json: boolean }): Promise<string> {
  const folder = path.resolve(place)
  if (existsSync(benchmarkPaths(folder).plan)) return place
  const [newest] = await listBenchmarks(folder)
  if (newest === undefined) return place
  const shown = path.relative(process.cwd(), newest)
  if (!json) process.stderr.write(`${safe(`${place} is a workspace; its newest benchmark is taken: ${shown}`)}\n`)
  return shown
}
