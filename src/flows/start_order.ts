/** In which order runs start: those expected to take longest first, so that no long one is alone at the end. */
import path from 'node:path'
import { benchmark } from '../../schemas/benchmark.ts'
import type { RunSpec } from '../../schemas/plan.ts'
import { readJson } from '../base/json.ts'
import { benchmarkPaths } from '../store/paths.ts'
import { listBenchmarks } from '../store/store.ts'

type Run = Pick<RunSpec, 'eval_id' | 'timeout_seconds'>

/**
 * By what a case took in the workspace's newest other benchmark, else by its time limit. Runs of a case stay together and
 * as planned, so that drift over time meets both arms; where nothing tells cases apart it is the order of the plan.
 */
export async function startOrder<R extends Run>(runs: readonly R[], folder: string): Promise<R[]> {
  return longestFirst(runs, await secondsByCase(folder))
}

/** Cases of which nothing is known come first while others are known: they may be the longest. */
export function longestFirst<R extends Run>(runs: readonly R[], known: ReadonlyMap<number, number>): R[] {
  const hasAny = runs.some((run) => known.has(run.eval_id))
  const expected = (run: R) => (hasAny ? (known.get(run.eval_id) ?? Number.MAX_VALUE) : run.timeout_seconds)
  return [...runs].sort((a, b) => expected(b) - expected(a))
}

/** Mean seconds of a run by eval_id, of the slower arm; empty where there is no earlier benchmark that can be read. */
async function secondsByCase(folder: string): Promise<Map<number, number>> {
  const others = await listBenchmarks(path.dirname(path.dirname(folder)))
  for (const other of others.filter((one) => one !== folder)) {
    const made = await readJson(benchmark, benchmarkPaths(other).benchmark).catch(() => null)
    const known = (made?.cases ?? []).flatMap(({ eval_id, arms }) => {
      const means = Object.values(arms).flatMap(({ time_seconds }) => time_seconds?.mean ?? [])
      return means.length === 0 ? [] : [[eval_id, Math.max(...means)] as const]
    })
    if (known.length > 0) return new Map(known)
  }
  return new Map()
}
