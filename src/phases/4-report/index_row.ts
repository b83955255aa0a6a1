/** A benchmark as one row of an index, and the order of the rows. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { IndexArm, IndexRow } from '../../../schemas/benchmark_index.ts'
import { armSummary, armsOf } from './arms.ts'
import { incompleteness } from './incomplete.ts'
import { describe } from './stats/describe.ts'
import { round } from './stats/round.ts'
import { headline } from './summary_table.ts'

/** What a row is of. */
export interface IndexName {
  skill: string
  cell: string | null
}

/** `folder`: the benchmark folder relative to the index. */
export function indexRow(name: IndexName, benchmark: Benchmark, folder: string): IndexRow {
  const arms = armsOf(benchmark)
  const [candidate, baseline] = [armOf(benchmark, arms.candidate), armOf(benchmark, arms.baseline)]
  const [a, b] = [candidate?.pass_rate?.mean, baseline?.pass_rate?.mean]
  const isDone = benchmark.complete === true && (benchmark.counts?.used ?? 0) > 0
  return {
    ...name,
    status: isDone ? 'done' : 'incomplete',
    error: null,
    folder,
    report: `${folder}/report.html`,
    headline: headline(benchmark),
    incomplete: incompleteness(benchmark),
    candidate,
    baseline,
    delta: a === undefined || b === undefined ? null : round(a - b, 4),
  }
}

/** The row of what could not be benched. */
export function failedRow(name: IndexName, message: string, fix: string | null): IndexRow {
  const nothing = { folder: null, report: null, headline: null, incomplete: null, candidate: null, baseline: null }
  return { ...name, ...nothing, status: 'failed', error: { message, fix }, delta: null }
}

/** Largest difference first; without one behind, failed last; ties as they came. */
export function inIndexOrder(rows: readonly IndexRow[]): IndexRow[] {
  const place = (row: IndexRow) => (row.status === 'failed' ? 2 : row.delta === null ? 1 : 0)
  return [...rows].sort((a, b) => place(a) - place(b) || (b.delta ?? 0) - (a.delta ?? 0))
}

function armOf(benchmark: Benchmark, name: string | null): IndexArm | null {
  if (name === null) return null
  const summary = armSummary(benchmark, name)
  const runs = benchmark.runs.filter((run) => run.configuration === name)
  return {
    pass_rate: summary?.pass_rate ?? null,
    runs: runs.length,
    tokens: summary?.tokens?.mean ?? null,
    time_seconds: summary?.time_seconds?.mean ?? null,
    cost_usd: describe(runs.flatMap(({ result }) => result.cost_usd ?? []))?.mean ?? null,
  }
}
