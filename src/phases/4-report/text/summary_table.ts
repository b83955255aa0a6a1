/** The result of a benchmark in one table, as plain text for terminal, Markdown and page. */
import type { Benchmark, BenchmarkRun } from '../../../../schemas/benchmark.ts'
import { armNames, findArmSummary, findArms, keepPairedRuns } from '../benchmark/arms.ts'
import { scoreCell } from '../benchmark/rubric_table.ts'
import { runPassRate } from '../benchmark/run_pass_rate.ts'
import { summarizeValues } from '../stats/numbers/describe.ts'
import { formatFixed, formatSigned } from '../stats/numbers/round.ts'
import { formatConfiguration, formatCount, formatDollars, formatPercent, formatRates, formatSeconds } from './format.ts'
import { findHeadlineRates, isSummaryOnly } from './headline.ts'

/** Rows as long as the header: metric, one column per configuration, difference. */
export interface SummaryTable {
  header: string[]
  rows: string[][]
}

/** `round`: as shown, so that a difference is that of the means shown. */
const metrics = {
  time_seconds: {
    show: formatSeconds,
    round: (value: number) => (value < 600 ? Number(formatFixed(value, 1)) : Math.round(value)),
    change: (seconds: number) => `${formatSigned(seconds, 1)} s`,
  },
  tokens: {
    show: formatCount,
    round: (value: number) => Number(formatFixed(value, 0)),
    change: (tokens: number) => `${tokens < 0 ? '-' : '+'}${formatCount(Math.abs(tokens))}`,
  },
}

/**
 * Rows without any known number are omitted, such as tokens that no engine reports. With two configurations only cases that were graded in
 * both count, except in the last row.
 */
export function summaryTable(benchmark: Benchmark): SummaryTable {
  const arms = findArms(benchmark)
  const names = armNames(arms)
  const isCompared = arms.candidate !== null && arms.baseline !== null
  const runs = keepPairedRuns(benchmark, arms)
  const own = (name: string) => runs.filter((run) => run.configuration === name)
  const row = (label: string, cell: (name: string) => string | null, difference = '') => {
    const cells = names.map(cell)
    if (cells.every((text) => text === null)) return []
    return [[label, ...cells.map((text) => text ?? '–'), ...(isCompared ? [difference] : [])]]
  }
  const metric = (label: string, key: keyof typeof metrics) => {
    const { show, round, change } = metrics[key]
    const found = names.map((name) =>
      isSummaryOnly(benchmark)
        ? (findArmSummary(benchmark, name)?.[key] ?? null)
        : summarizeValues(own(name).flatMap(({ result }) => result[key] ?? [])),
    )
    const [candidate, baseline] = found
    const difference = candidate && baseline ? change(round(candidate.mean) - round(baseline.mean)) : '–'
    const cell = (name: string) => {
      const stats = found[names.indexOf(name)]
      return stats ? `${show(stats.mean)} ± ${show(stats.stddev)}` : null
    }
    return row(label, cell, difference)
  }
  return {
    header: ['mean ± SD', ...names.map(formatConfiguration), ...(isCompared ? ['difference'] : [])],
    rows: [
      ...passRateRow(benchmark, own),
      ...row('rubric, of 5', (name) => scoreCell(own(name))),
      ...metric('time per run', 'time_seconds'),
      ...metric('tokens per run', 'tokens'),
      ...row('cost per run', (name) => costCell(own(name))),
      ...row('skill read', (name) => readCell(own(name))),
      ...row('runs graded', (name) => gradedCell(benchmark, name)),
    ],
  }
}

export function summaryHint(benchmark: Benchmark): string {
  const means = 'Mean ± sample standard deviation over runs'
  if (findHeadlineRates(benchmark) === null) return `${means}.`
  return `${means} of the cases graded in both configurations; for the pass rate each case counts once.`
}

/** The rates of the headline, each with the standard deviation of its runs. */
function passRateRow(benchmark: Benchmark, own: (name: string) => readonly BenchmarkRun[]): string[][] {
  const arms = findArms(benchmark)
  const names = armNames(arms)
  const rates = findHeadlineRates(benchmark)
  const spread = (name: string) =>
    isSummaryOnly(benchmark) ? findArmSummary(benchmark, name)?.pass_rate : summarizeValues(own(name).map(runPassRate))
  if (rates !== null) {
    const shown = formatRates(rates.candidate, rates.baseline)
    const [candidate, baseline] = names.map((name) => `± ${formatPercent(spread(name)?.stddev ?? 0)}`)
    return [
      ['pass rate', `${shown.candidate} ${candidate}`, `${shown.baseline} ${baseline}`, `${shown.difference} points`],
    ]
  }
  const cells = names.map((name) => {
    const all = summarizeValues(benchmark.runs.filter((run) => run.configuration === name).map(runPassRate))
    return all === null ? '–' : `${formatPercent(all.mean)} ± ${formatPercent(all.stddev)}`
  })
  if (cells.every((text) => text === '–')) return []
  return [['pass rate', ...cells, ...(names.length > 1 ? ['–'] : [])]]
}

function costCell(runs: readonly BenchmarkRun[]): string | null {
  const known = summarizeValues(runs.flatMap(({ result }) => result.cost_usd ?? []))
  return known === null ? null : formatDollars(known.mean)
}

function readCell(runs: readonly BenchmarkRun[]): string | null {
  const known = runs.flatMap(({ result }) => result.skill_read ?? [])
  return known.length === 0 ? null : `${known.filter(Boolean).length} of ${known.length}`
}

function gradedCell(benchmark: Benchmark, name: string): string {
  const graded = benchmark.runs.filter((run) => run.configuration === name).length
  if (benchmark.excluded_runs === undefined) return String(graded)
  return `${graded} of ${graded + benchmark.excluded_runs.filter((run) => run.configuration === name && run.reason !== 'quarantined').length}`
}
