/** Orders the starts of runs: longest expected first, so that no long run remains alone at the end. */
import path from 'node:path'
import { benchmark } from '../../../schemas/benchmark.ts'
import type { RunSpec } from '../../../schemas/plan.ts'
import { readJson } from '../../base/json/json.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { listBenchmarks } from '../../store/store.ts'

type Run = Pick<RunSpec, 'eval_id' | 'timeout_seconds'>

/** Waiting runs, ordered by expected duration. */
export interface StartQueue<R extends Run> {
  /** The run to start; null when none waits. */
  next(): R | null
  /** Records the seconds that a run of this case took. */
  learn(eval_id: number, seconds: number): void
}

/** A benchmark's queue: case durations come from the workspace's newest other benchmark, else from its own runs. */
export async function openStartQueue<R extends Run>(runs: readonly R[], folder: string): Promise<StartQueue<R>> {
  return createStartQueue(runs, runs.length === 0 ? new Map() : await secondsByCase(folder))
}

interface WaitingRuns<R> {
  runs: R[]
  started: number
  /** `mean`: seconds, over `of` runs; a mean from an earlier benchmark counts as one run. */
  mean: number | null
  of: number
}

/**
 * A case without a known duration starts its first pair before everything else, by time limit and then in plan order. After that, the
 * longest expected case goes first; unknown durations count as longest.
 */
export function createStartQueue<R extends Run>(runs: readonly R[], known: ReadonlyMap<number, number>): StartQueue<R> {
  const waiting = new Map<number, WaitingRuns<R>>()
  for (const run of runs) {
    const mean = known.get(run.eval_id) ?? null
    const one = waiting.get(run.eval_id) ?? { runs: [], started: 0, mean, of: mean === null ? 0 : 1 }
    one.runs.push(run)
    waiting.set(run.eval_id, one)
  }
  const place = new Map(runs.map((run, at) => [run, at]))
  const head = (one: WaitingRuns<R>): R | undefined => one.runs[one.started]
  const isBefore = (a: WaitingRuns<R>, b: WaitingRuns<R>): boolean => {
    const ranks =
      explorationRank(a) - explorationRank(b) ||
      expectedSeconds(a) - expectedSeconds(b) ||
      limitSeconds(a) - limitSeconds(b)
    return ranks === 0 ? orderOf(head(a)) < orderOf(head(b)) : ranks > 0
  }
  const orderOf = (run: R | undefined) => (run === undefined ? Number.MAX_VALUE : (place.get(run) ?? 0))
  return {
    next() {
      let best: WaitingRuns<R> | null = null
      for (const one of waiting.values()) {
        if (head(one) !== undefined && (best === null || isBefore(one, best))) best = one
      }
      const run = best === null ? null : (head(best) ?? null)
      if (best !== null) best.started += 1
      return run
    },
    learn(eval_id, seconds) {
      const one = waiting.get(eval_id)
      if (one === undefined) return
      one.of += 1
      one.mean = (one.mean ?? 0) + (seconds - (one.mean ?? 0)) / one.of
    },
  }
}

/** Both configurations of a case. */
const pair = 2

/** 1 for a case without a known duration and with less than a pair started: it goes first. */
const explorationRank = ({ mean, started }: WaitingRuns<Run>): number => (mean === null && started < pair ? 1 : 0)

/** Seconds; a case whose first runs are still going may be the longest. */
const expectedSeconds = ({ mean }: WaitingRuns<Run>): number => mean ?? Number.MAX_VALUE

/** Seconds. */
const limitSeconds = ({ runs }: WaitingRuns<Run>): number => runs[0]?.timeout_seconds ?? 0

/** Mean seconds of a run by eval_id, in the slower configuration; empty without a readable earlier benchmark. */
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
