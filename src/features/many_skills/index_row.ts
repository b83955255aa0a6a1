/** A benchmark as one row of an index, and the order of the rows. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { IndexArm, IndexLift, IndexRow } from '../../../schemas/benchmark_index.ts'
import { findArmSummary, findArms } from '../../phases/4-report/benchmark/arms.ts'
import { incompleteness, leftOutCases } from '../../phases/4-report/benchmark/incomplete.ts'
import { summarizeValues } from '../../phases/4-report/stats/numbers/describe.ts'
import { round } from '../../phases/4-report/stats/numbers/round.ts'
import { isVerdictWithheld } from '../../phases/4-report/stats/scopes/observational.ts'
import { hasTooFewRuns } from '../../phases/4-report/stats/scopes/verdict_sentences.ts'
import { holm } from '../../phases/4-report/stats/tests/adjusted_p_values.ts'
import { benchmarkHeadline, findHeadlineRates } from '../../phases/4-report/text/headline.ts'

/** What the row is about. */
export interface IndexName {
  skill: string
  cell: string | null
}

/** `folder`: the benchmark folder relative to the index. */
export function buildIndexRow(name: IndexName, benchmark: Benchmark, folder: string): IndexRow {
  const arms = findArms(benchmark)
  const rates = hasVerdict(benchmark) ? findHeadlineRates(benchmark) : null
  const candidate = toIndexArm(benchmark, arms.candidate, rates?.candidate)
  const baseline = toIndexArm(benchmark, arms.baseline, rates?.baseline)
  const isGraded = benchmark.complete === true && (benchmark.counts?.used ?? 0) > 0
  const isDone = isGraded && leftOutCases(benchmark) === null && !benchmark.statistics?.missing_grades
  return {
    ...name,
    status: isDone ? 'done' : 'incomplete',
    error: null,
    folder,
    report: `${folder}/report.html`,
    headline: benchmarkHeadline(benchmark),
    incomplete: incompleteness(benchmark) ?? leftOutCases(benchmark),
    candidate,
    baseline,
    delta: rates === null ? null : round(rates.candidate - rates.baseline, 4),
    ...(benchmark.injection_attempts?.runs && { suspicious_runs: benchmark.injection_attempts.runs }),
    ...(benchmark.chosen && { chosen: benchmark.chosen }),
    lift: readIndexLift(benchmark),
  }
}

/** False if there is none by design, such as with a baseline of another time: then no difference is shown. */
function hasVerdict({ statistics }: Benchmark): boolean {
  return !statistics?.scopes || !isVerdictWithheld(statistics.scopes.these_cases)
}

function readIndexLift({ statistics }: Benchmark): IndexRow['lift'] {
  const scope = statistics?.scopes?.these_cases
  if (scope === undefined || isVerdictWithheld(scope)) return null
  const { mean, ci_low, ci_high, p_value } = scope.difference
  // a design that is too small can have a small p-value, but gives no verdict
  const p = hasTooFewRuns(scope.rule) ? null : p_value
  return mean === null ? null : { mean, ci_low, ci_high, p_value: p, p_adjusted: p, change: 'within_chance' }
}

/**
 * Which rows count: those of a whole suite, because cases picked for having failed can't be compared with other skills. All count if they
 * are the same cases of one skill, as in a matrix of chosen cases.
 */
export function createCountedFilter(rows: readonly IndexRow[]): (row: IndexRow) => boolean {
  const choices = rows.flatMap(({ status, skill, chosen }) =>
    status === 'done' || status === 'incomplete' ? JSON.stringify([skill, chosen ?? null]) : [],
  )
  const isOneChoice = new Set(choices).size === 1
  return ({ chosen }) => chosen === undefined || isOneChoice
}

/** Picking the best of many often picks luck, so each p is adjusted for their number. */
export function adjustRowsByHolm(rows: readonly IndexRow[], alpha: number): IndexRow[] {
  const isCounted = createCountedFilter(rows)
  const known = rows.flatMap((row) => (isCounted(row) ? (row.lift?.p_value ?? []) : []))
  const adjusted = holm(known)
  let place = 0
  return rows.map((row) => {
    if (row.lift === null || row.lift.p_value === null) return row
    if (!isCounted(row)) return { ...row, lift: { ...row.lift, p_adjusted: null, change: 'within_chance' } }
    const p_adjusted = round(adjusted[place++] ?? 1, 6)
    return { ...row, lift: { ...row.lift, p_adjusted, change: classifyLift(row.lift.mean, p_adjusted, alpha) } }
  })
}

function classifyLift(mean: number, p: number, alpha: number): IndexLift['change'] {
  if (p > alpha || mean === 0) return 'within_chance'
  return mean > 0 ? 'better' : 'worse'
}

/** The row of a workspace that could not be benchmarked. */
export function failedRow(name: IndexName, message: string, fix: string | null): IndexRow {
  const nothing = { folder: null, report: null, headline: null, incomplete: null, candidate: null, baseline: null }
  return { ...name, ...nothing, status: 'failed', error: { message, fix }, delta: null, lift: null }
}

/** The row of a workspace without a benchmark; `report`: its page, relative to the index. */
export function unbenchedRow(name: IndexName, report: string, beside: IndexRow['beside']): IndexRow {
  return { ...failedRow(name, '', null), status: 'unbenched', error: null, report, beside }
}

/** After the other rows; absent: sorted by effect. */
const order: Partial<Record<IndexRow['status'], number>> = { unbenched: 3, failed: 4 }

/** The effect of the skill: without indicators where that is known; null: not known. */
export function findEffect({ lift, delta }: IndexRow): number | null {
  return lift?.mean ?? delta
}

/** Largest effect first, then rows of chosen cases, then those without an effect, failed last; ties keep their order. */
export function sortIndexRows(rows: readonly IndexRow[]): IndexRow[] {
  const isCounted = createCountedFilter(rows)
  const place = (row: IndexRow) => order[row.status] ?? (findEffect(row) === null ? 2 : isCounted(row) ? 0 : 1)
  return [...rows].sort((a, b) => place(a) - place(b) || (findEffect(b) ?? 0) - (findEffect(a) ?? 0))
}

/** `rate`: the pass rate of the headline; undefined: nothing is compared, so that of all runs. */
function toIndexArm(benchmark: Benchmark, name: string | null, rate: number | undefined): IndexArm | null {
  if (name === null) return null
  const summary = findArmSummary(benchmark, name)
  const runs = benchmark.runs.filter((run) => run.configuration === name)
  return {
    pass_rate: summary && { ...summary.pass_rate, mean: rate === undefined ? summary.pass_rate.mean : round(rate, 6) },
    runs: runs.length,
    tokens: summary?.tokens?.mean ?? null,
    time_seconds: summary?.time_seconds?.mean ?? null,
    cost_usd: summarizeValues(runs.flatMap(({ result }) => result.cost_usd ?? []))?.mean ?? null,
  }
}
