/** Reads what is on disk of a benchmark, or of the newest benchmark of a workspace. */
import { existsSync } from 'node:fs'
import { benchmark as benchmarkSchema } from '../../../../schemas/benchmark.ts'
import { history as historySchema } from '../../../../schemas/history.ts'
import { UserError } from '../../../base/errors/error.ts'
import { readJson } from '../../../base/json/json.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { benchmarkPaths, improvePaths } from '../../../store/paths.ts'
import { listBenchmarks } from '../../../store/store.ts'
import type { WorkEnd } from '../jobs.ts'
import { benchmarkFiles, type Roots } from '../roots.ts'
import { describeSession } from '../work/plan_improve_work.ts'
import { summarizeBenchmarkResult } from './benchmark_result.ts'

export type StoredResult = Extract<WorkEnd, { sentence: string }>

/** The benchmark folder that a place means: itself, or the newest of a workspace. Throws UserError. */
export async function resolveBenchmark(given: string, roots: Roots): Promise<string> {
  return await roots.resolveWith(await findBenchmark(await roots.resolve(given)), benchmarkFiles)
}

async function findBenchmark(place: string): Promise<string> {
  const { plan, benchmark } = benchmarkPaths(place)
  if (existsSync(plan) || existsSync(benchmark)) return place
  const [newest] = await listBenchmarks(place).catch(() => [])
  if (newest !== undefined) return newest
  throw new UserError(`${jsonText(place)}: no benchmark in it`, 'pass a benchmark folder, or a workspace')
}

/** `place`: a benchmark, or the workspace of a session, absolute. Throws UserError. */
export async function readStoredResult(
  place: string,
  kind: 'benchmark' | 'session',
  cwd: string,
): Promise<StoredResult> {
  if (kind === 'session') {
    const history = await readJson(historySchema, improvePaths(place).history)
    return describeSession({ history, workspace: place, best: improvePaths(place).version(history.current_best) })
  }
  const { benchmark } = benchmarkPaths(place)
  return summarizeBenchmarkResult(await readJson(benchmarkSchema, benchmark), place, cwd)
}
