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

/**
 * A case without a known duration starts its first pair before everything else, by time limit and then in plan order. After that, the
 * longest expected case goes first; unknown durations count as longest. A mean from an earlier benchmark counts as one run.
 */
export function createStartQueue<R extends Run>(runs: readonly R[], known: ReadonlyMap<number, number>): StartQueue<R> {
  const cases = new Map<number, WaitingCase<R>>()
  for (const [place, run] of runs.entries()) {
    const mean = known.get(run.eval_id) ?? null
    const one = cases.get(run.eval_id) ?? { waiting: [], mean, count: mean === null ? 0 : 1, started: 0 }
    one.waiting.push({ run, place })
    cases.set(run.eval_id, one)
  }
  return {
    next() {
      const open = [...cases.values()].filter(({ waiting }) => waiting.length > 0)
      const [first] = open.sort((a, b) => compareRanks(listRanks(b), listRanks(a)))
      if (first === undefined) return null
      first.started += 1
      return first.waiting.shift()?.run ?? null
    },
    learn(eval_id, seconds) {
      const one = cases.get(eval_id)
      if (one === undefined) return
      one.count += 1
      one.mean = (one.mean ?? 0) + (seconds - (one.mean ?? 0)) / one.count
    },
  }
}

interface WaitingCase<R> {
  waiting: { run: R; place: number }[]
  started: number
  /** Seconds, over `count` runs; null: not known. */
  mean: number | null
  count: number
}

/** The case with the highest numbers starts first. */
function listRanks({ waiting: [first], mean, started }: WaitingCase<Run>): number[] {
  const isUnexplored = mean === null && started < pair
  const { run, place } = first ?? {}
  return [isUnexplored ? 1 : 0, mean ?? Number.MAX_VALUE, run?.timeout_seconds ?? 0, -(place ?? 0)]
}

/** Both configurations of a case. */
const pair = 2

function compareRanks(a: readonly number[], b: readonly number[]): number {
  return a.map((rank, at) => rank - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0
}

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
