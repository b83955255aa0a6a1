/** In which order runs start: those expected to take longest first, so that no long one is alone at the end. */
import path from 'node:path'
import { benchmark } from '../../schemas/benchmark.ts'
import type { RunSpec } from '../../schemas/plan.ts'
import { readJson } from '../base/json.ts'
import { benchmarkPaths } from '../store/paths.ts'
import { listBenchmarks } from '../store/store.ts'

type Run = Pick<RunSpec, 'eval_id' | 'timeout_seconds'>

/** Runs that wait, and what is known of how long they take. */
export interface StartQueue<R extends Run> {
  /** The run to start now; null when none waits. */
  next(): R | null
  /** A run of this case took so many seconds. */
  learn(eval_id: number, seconds: number): void
}

/** The queue of a benchmark: what a case takes is known from the workspace's newest other benchmark, else learned on the way. */
export async function startQueue<R extends Run>(runs: readonly R[], folder: string): Promise<StartQueue<R>> {
  return queueOf(runs, runs.length === 0 ? new Map() : await secondsByCase(folder))
}

interface Waiting<R> {
  runs: R[]
  started: number
  /** Seconds, and of how many runs that is the mean; a mean of an earlier benchmark counts as one. */
  mean: number | null
  of: number
}

/**
 * Where nothing is known of a case its first pair starts before everything else, by the time limit and then as planned:
 * then it is known. Of the rest the longest expected goes first; a case whose first runs still last may be the longest.
 */
export function queueOf<R extends Run>(runs: readonly R[], known: ReadonlyMap<number, number>): StartQueue<R> {
  const waiting = new Map<number, Waiting<R>>()
  for (const run of runs) {
    const mean = known.get(run.eval_id) ?? null
    const one = waiting.get(run.eval_id) ?? { runs: [], started: 0, mean, of: mean === null ? 0 : 1 }
    one.runs.push(run)
    waiting.set(run.eval_id, one)
  }
  const place = new Map(runs.map((run, at) => [run, at]))
  const head = (one: Waiting<R>): R | undefined => one.runs[one.started]
  const isBefore = (a: Waiting<R>, b: Waiting<R>): boolean => {
    const ranks = isToLookAt(a) - isToLookAt(b) || expected(a) - expected(b) || limitOf(a) - limitOf(b)
    return ranks === 0 ? orderOf(head(a)) < orderOf(head(b)) : ranks > 0
  }
  const orderOf = (run: R | undefined) => (run === undefined ? Number.MAX_VALUE : (place.get(run) ?? 0))
  return {
    next() {
      let best: Waiting<R> | null = null
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

/** Both arms of a case. */
const pair = 2

/** 1 for a case of which nothing is known and less than a pair was started: it goes first. */
const isToLookAt = ({ mean, started }: Waiting<Run>): number => (mean === null && started < pair ? 1 : 0)

/** Seconds; a case whose first runs still last may be the longest. */
const expected = ({ mean }: Waiting<Run>): number => mean ?? Number.MAX_VALUE

/** Seconds. */
const limitOf = ({ runs }: Waiting<Run>): number => runs[0]?.timeout_seconds ?? 0

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
