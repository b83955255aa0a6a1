/** A benchmark as one row of an index, and the order of the rows. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { IndexArm, IndexLift, IndexRow } from '../../../schemas/benchmark_index.ts'
import { armSummary, armsOf } from './arms.ts'
import { incompleteness } from './incomplete.ts'
import { type Beside, besideSaid } from './page/beside_said.ts'
import { describe } from './stats/describe.ts'
import { holm } from './stats/holm.ts'
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
    ...(benchmark.chosen && { chosen: benchmark.chosen }),
    lift: liftOf(benchmark),
  }
}

function liftOf({ statistics }: Benchmark): IndexRow['lift'] {
  const {
    mean = null,
    ci_low = null,
    ci_high = null,
    p_value = null,
  } = statistics?.scopes?.these_cases.difference ?? {}
  return mean === null ? null : { mean, ci_low, ci_high, p_value, p_adjusted: p_value, change: 'within_chance' }
}

/**
 * Which of the rows are counted: those of a whole suite, since cases that were picked because they failed say nothing of the skill among
 * others; all where they are the same cases of one skill, as in a matrix of chosen cases.
 */
export function countedIn(rows: readonly IndexRow[]): (row: IndexRow) => boolean {
  const choices = rows.flatMap(({ status, skill, chosen }) =>
    status === 'done' || status === 'incomplete' ? JSON.stringify([skill, chosen ?? null]) : [],
  )
  const isOneChoice = new Set(choices).size === 1
  return ({ chosen }) => chosen === undefined || isOneChoice
}

/** Whoever picks the best of many is often picking luck: each p is adjusted for the number of them. */
export function withHolm(rows: readonly IndexRow[], alpha: number): IndexRow[] {
  const isCounted = countedIn(rows)
  const known = rows.flatMap((row) => (isCounted(row) ? (row.lift?.p_value ?? []) : []))
  const adjusted = holm(known)
  let place = 0
  return rows.map((row) => {
    if (row.lift === null || row.lift.p_value === null) return row
    if (!isCounted(row)) return { ...row, lift: { ...row.lift, p_adjusted: null, change: 'within_chance' } }
    const p_adjusted = round(adjusted[place++] ?? 1, 6)
    return { ...row, lift: { ...row.lift, p_adjusted, change: changeOf(row.lift.mean, p_adjusted, alpha) } }
  })
}

function changeOf(mean: number, p: number, alpha: number): IndexLift['change'] {
  if (p > alpha || mean === 0) return 'within_chance'
  return mean > 0 ? 'better' : 'worse'
}

/** The row of what could not be benched. */
export function failedRow(name: IndexName, message: string, fix: string | null): IndexRow {
  const nothing = { folder: null, report: null, headline: null, incomplete: null, candidate: null, baseline: null }
  return { ...name, ...nothing, status: 'failed', error: { message, fix }, delta: null, lift: null }
}

/** The row of a workspace without a benchmark; `report`: its page, relative to the index. */
export function unbenchedRow(name: IndexName, report: string, beside: Beside): IndexRow {
  return { ...failedRow(name, '', null), status: 'unbenched', error: null, report, beside: besideSaid(beside) }
}

/** Behind the others; absent: by what it found. */
const order: Partial<Record<IndexRow['status'], number>> = { unbenched: 3, failed: 4 }

/** What the skill changes: by what counts, indicators left out, where that is known; null: nothing is. */
export function effectOf({ lift, delta }: IndexRow): number | null {
  return lift?.mean ?? delta
}

/** Largest effect first; of chosen cases behind, then without one, failed last; ties as they came. */
export function inIndexOrder(rows: readonly IndexRow[]): IndexRow[] {
  const isCounted = countedIn(rows)
  const place = (row: IndexRow) => order[row.status] ?? (effectOf(row) === null ? 2 : isCounted(row) ? 0 : 1)
  return [...rows].sort((a, b) => place(a) - place(b) || (effectOf(b) ?? 0) - (effectOf(a) ?? 0))
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
