/** An index as one table of plain text, for terminal, Markdown and page. */
import type { BenchmarkIndex, IndexLift, IndexPair, IndexRow } from '../../../schemas/benchmark_index.ts'
import {
  formatCount,
  formatDollars,
  formatPercent,
  formatPlural,
  formatPointRange,
  formatProbability,
  formatRates,
  formatSeconds,
  formatWholePoints,
} from '../../phases/4-report/text/format.ts'
import { chosenText } from '../../phases/4-report/text/selected_cases.ts'
import type { SummaryTable } from '../../phases/4-report/text/summary_table.ts'
import { createCountedFilter, findEffect } from './index_row.ts'
import { nameIndexRow } from './mark_front.ts'

type Column = [title: string, cell: (row: IndexRow) => string | null]

const columns: readonly Column[] = [
  ['with', (row) => rateText(row, 'candidate')],
  ['without', (row) => rateText(row, 'baseline')],
  ['difference', (row) => differenceText(row)],
  ['p (Holm)', (row) => (row.lift?.p_adjusted == null ? null : formatProbability(row.lift.p_adjusted))],
  ['n', (row) => (row.candidate ? [row.candidate, row.baseline].flatMap((arm) => arm?.runs ?? []).join(' + ') : null)],
  ['tokens', (row) => formatKnownPair(row, 'tokens', formatCount)],
  ['cost', (row) => formatKnownPair(row, 'cost_usd', formatDollars)],
  ['time', (row) => formatKnownPair(row, 'time_seconds', formatSeconds)],
]

const frontColumn: Column = ['rate and price', frontText]

const skillColumn: Column = ['skill', (row) => row.skill]

/** One row per benchmark, name first; columns without a value are omitted. The last column has problems and chosen cases. */
export function indexTable(index: BenchmarkIndex): SummaryTable {
  const { rows } = index
  const titles: Record<string, string> =
    index.calibrations === true
      ? { with: 'again', without: 'first' }
      : index.comparisons === true
        ? { engine: 'comparison', with: 'first', without: 'second' }
        : {}
  // comparisons of one skill: its name in each row would only take up space
  const isOneSkill = index.comparisons === true && rows.every(({ skill }) => skill === rows[0]?.skill)
  const names: Column[] = [...(isOneSkill ? [] : [skillColumn]), ['engine', (row) => row.cell]]
  const marks: Column = ['', (row) => mark(row) || null]
  const interval: Column = ['95% CI', (row) => (index.comparisons ? intervalText(row) : null)]
  const shown = [
    ...names,
    ...columns.slice(0, 3),
    interval,
    ...columns.slice(3, 4),
    frontColumn,
    ...columns.slice(4),
    marks,
  ].filter(([, cell]) => rows.some((row) => cell(row) !== null))
  return {
    header: shown.map(([title]) => titles[title] ?? title),
    rows: rows.map((row) => shown.map(([title, cell]) => cell(row) ?? (title === '' ? '' : '–'))),
  }
}

/** One sentence over all rows: how many there are, how many are better, what is missing. */
export function indexHeadline({ rows, calibrations, comparisons }: BenchmarkIndex): string {
  const whole = rows.filter(createCountedFilter(rows))
  const number = (test: (row: IndexRow) => boolean) => whole.filter(test).length
  const withStatus = (status: IndexRow['status']) => rows.filter((row) => row.status === status).length
  const beyond = (change: IndexLift['change']) =>
    whole.some(({ lift }) => lift !== null) ? ` (${number(({ lift }) => lift?.change === change)} significant)` : ''
  const parts = [
    ...(calibrations === true
      ? [
          `${number(({ lift }) => lift !== null && lift.change !== 'within_chance')} with a significant difference between equal arms`,
        ]
      : [
          `${number((row) => (findEffect(row) ?? 0) > 0)} better with the ${comparisons ? 'first configuration' : 'skill'}${beyond('better')}`,
          `${number((row) => findEffect(row) === 0)} the same`,
          `${number((row) => (findEffect(row) ?? 0) < 0)} worse${beyond('worse')}`,
        ]),
    ...formatCounted(rows.length - whole.length, 'of chosen cases only'),
    ...formatCounted(withStatus('incomplete'), 'incomplete'),
    ...formatCounted(withStatus('failed'), 'failed'),
    ...formatCounted(withStatus('unbenched'), 'without a benchmark'),
  ]
  const what = calibrations === true ? 'calibration' : 'benchmark'
  return `${formatPlural(rows.length - withStatus('unbenched'), what)}: ${parts.join(', ')}.`
}

/** Explains the p column; null: no row has a p. */
export function indexHint({ rows, alpha }: BenchmarkIndex): string | null {
  const isCounted = createCountedFilter(rows)
  const known = rows.filter((row) => isCounted(row) && row.lift !== null && row.lift.p_value !== null).length
  if (known === 0) return null
  const many = known === 1 ? '' : `, adjusted for ${known} comparisons (Holm)`
  return `p: on the benchmark's own cases, indicators left out${many}; significant: p ≤ ${alpha}.`
}

function formatCounted(number: number, what: string): string[] {
  return number === 0 ? [] : [`${number} ${what}`]
}

function showRates({ candidate, baseline, delta }: IndexRow): ReturnType<typeof formatRates> | null {
  if (delta === null || !candidate?.pass_rate || !baseline?.pass_rate) return null
  return formatRates(candidate.pass_rate.mean, baseline.pass_rate.mean)
}

function rateText(row: IndexRow, side: 'candidate' | 'baseline'): string | null {
  const rate = row[side]?.pass_rate
  return rate ? `${showRates(row)?.[side] ?? formatPercent(rate.mean)} ± ${formatPercent(rate.stddev)}` : null
}

function differenceText(row: IndexRow): string | null {
  const shown = showRates(row)
  return shown === null ? null : `${shown.difference} points`
}

function intervalText({ lift }: IndexRow): string | null {
  if (lift === null || lift.ci_low === null || lift.ci_high === null) return null
  return formatPointRange(lift.ci_low, lift.ci_high)
}

/** "with / without"; null: neither is known. */
function formatKnownPair(row: IndexRow, what: 'tokens' | 'cost_usd' | 'time_seconds', show: (value: number) => string) {
  const values = [row.candidate, row.baseline].map((arm) => arm?.[what] ?? null)
  if (values.every((value) => value === null)) return null
  return values.map((value) => (value === null ? '–' : show(value))).join(' / ')
}

const words = { done: '', incomplete: 'INCOMPLETE', unbenched: 'no benchmark' } as const

/** What is wrong, and which cases were chosen; '' for neither. */
function mark(row: IndexRow): string {
  const wrong = row.status === 'failed' ? `FAILED: ${row.error?.message ?? ''}` : words[row.status]
  return [wrong, suspiciousMark(row) ?? '', row.chosen ? chosenText(row.chosen) : ''].filter(Boolean).join(', ')
}

/** "SUSPICIOUS: 2 runs"; null: none. */
export function suspiciousMark({ suspicious_runs: runs }: Pick<IndexRow, 'suspicious_runs'>): string | null {
  return runs === undefined ? null : `SUSPICIOUS: ${formatPlural(runs, 'run')}`
}

/** "on the front", "dominated by a", "maybe dominated by a"; null: not compared. */
export function frontText({ front }: IndexRow): string | null {
  switch (front?.status) {
    case 'front':
      return 'on the front'
    case 'open':
      return `maybe dominated by ${front.by}`
    case 'dominated':
      return `dominated by ${front.by}`
    case undefined:
      return null
  }
}

const axes: Record<NonNullable<BenchmarkIndex['front_axes']>, string> = {
  rate_and_cost: 'pass rate with the skill and cost per run',
  rate_and_tokens: 'pass rate with the skill and tokens per run',
  lift_and_cost: 'what the skill adds to the pass rate and to the cost of a run',
  lift_and_tokens: 'what the skill adds to the pass rate and to the tokens of a run',
}

/** Which rows no other beats in both, and how that was decided; null: not compared. */
export function frontSentence({ rows, front_axes }: BenchmarkIndex): string | null {
  if (front_axes === undefined) return null
  const names = (status: NonNullable<IndexRow['front']>['status']) =>
    rows.filter(({ front }) => front?.status === status).map(nameIndexRow)
  const open = names('open')
  const shown = names('dominated')
  const parts = [
    `not dominated: ${names('front').join(', ')}`,
    ...(open.length > 0 ? [`maybe dominated, which may be chance: ${open.join(', ')}`] : []),
    ...(shown.length > 0 ? [`dominated, by a test: ${shown.join(', ')}`] : []),
  ]
  const untested = front_axes.startsWith('lift') ? ' The skills have different suites, so nothing is tested.' : ''
  return `By ${axes[front_axes]}, ${parts.join('; ')}.${untested}`
}

/** One row per pair of engines or models; null: no matrix. */
export function pairsTable({ pairs = [], rows }: BenchmarkIndex): SummaryTable | null {
  if (pairs.length === 0) return null
  const isOneSkill = new Set(rows.map(({ skill }) => skill)).size === 1
  return {
    header: ['pair', 'with the skill', 'p (Holm)', 'what the skill adds', 'p (Holm)', 'cases'],
    rows: pairs.map((pair) => [
      `${isOneSkill ? '' : `${pair.skill}: `}${pair.first} − ${pair.second}`,
      ...differenceCells(pair.with_skill),
      ...differenceCells(pair.lift),
      String(pair.n_cases),
    ]),
  }
}

function differenceCells(found: IndexPair['lift']): [string, string] {
  if (found === null) return ['–', '–']
  const { mean, ci_low, ci_high, p_adjusted } = found
  return [`${formatWholePoints(mean)} points ${formatPointRange(ci_low, ci_high)}`, formatProbability(p_adjusted)]
}

/** What the pairs show, and why a pair has no test; null: no matrix. */
export function pairsSentence({ pairs = [], alpha }: BenchmarkIndex): string | null {
  if (pairs.length === 0) return null
  const differ = (what: 'with_skill' | 'lift') =>
    pairs.filter((pair) => pair[what] !== null && (pair[what]?.p_adjusted ?? 1) <= alpha).length
  const reasons = [...new Set(pairs.flatMap(({ reason }) => reason ?? []))]
  const untested = reasons.length === 0 ? '' : ` Not tested: ${reasons.join('; ')}.`
  const of = formatPlural(pairs.length, 'pair')
  return `The pass rate with the skill differs in ${differ('with_skill')} of ${of}, and what the skill adds in ${differ('lift')} (95% CI; p adjusted by Holm for the pairs).${untested}`
}
