/** A benchmark as the comparisons of an index use it: its row's name, its suite, and the scored runs of its cases. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { IndexRow } from '../../../../schemas/benchmark_index.ts'
import { findArms } from '../benchmark/arms.ts'
import { type ScoredCase, scoredCases } from '../stats/scores/scored_runs.ts'

export interface IndexedBenchmark {
  row: IndexRow
  /** The same for rows whose results can be compared case by case. */
  suite: string
  cases: ScoredCase[]
  at: Date
  isConcurrent: boolean
  /** Runs without a grade could decide its verdict. */
  isIncomplete: boolean
}

/** `suite`: the hash of the suite's content; null: unknown. */
export function indexBenchmark(row: IndexRow, benchmark: Benchmark, suite: string | null): IndexedBenchmark {
  return {
    row,
    suite: suite ?? `skill ${row.skill}`,
    cases: scoredCases(benchmark.runs, findArms(benchmark)),
    at: new Date(benchmark.metadata.timestamp),
    isIncomplete: benchmark.statistics?.missing_grades !== undefined,
    isConcurrent: benchmark.statistics?.older_runs?.is_concurrent !== false,
  }
}

/** The cases that both have, in pairs. */
export function pairIndexedCases(a: IndexedBenchmark, b: IndexedBenchmark): [ScoredCase, ScoredCase][] {
  const others = new Map(b.cases.map((one) => [one.evalId, one]))
  return a.cases.flatMap((one): [ScoredCase, ScoredCase][] => {
    const other = others.get(one.evalId)
    return other === undefined ? [] : [[one, other]]
  })
}

/** How far apart in time two benchmarks may be: a model can change in the meantime. */
const mostApartMs = 24 * 3600 * 1000

/** Why the results of two benchmarks must not be compared; null: they may. */
export function explainApart(a: IndexedBenchmark, b: IndexedBenchmark): string | null {
  if (a.isIncomplete || b.isIncomplete) return 'a benchmark is incomplete'
  if (!a.isConcurrent || !b.isConcurrent) return 'a baseline is not concurrent'
  if (Math.abs(a.at.getTime() - b.at.getTime()) > mostApartMs) return 'benchmarks more than a day apart'
  return null
}

/** The name of a row among others: its engine and model, else its skill. */
export function nameIndexRow({ cell, skill }: Pick<IndexRow, 'cell' | 'skill'>): string {
  return cell ?? skill
}
