/** An index as one table of plain text, shared by terminal, markdown and page. */
import type { BenchmarkIndex, IndexArm, IndexLift, IndexRow } from '../../../schemas/benchmark_index.ts'
import { chosenText } from './chosen_text.ts'
import { countedIn, effectOf } from './index_row.ts'
import { signed } from './stats/round.ts'
import type { SummaryTable } from './summary_table.ts'
import { count, dollars, hundredths, percent, plural, probability, seconds } from './words.ts'

type Column = [title: string, cell: (row: IndexRow) => string | null]

const columns: readonly Column[] = [
  ['with', (row) => rate(row.candidate)],
  ['without', (row) => rate(row.baseline)],
  ['difference', (row) => (row.delta === null ? null : points(row.delta))],
  ['counted', (row) => (isApart(row) ? points(row.lift?.mean ?? 0) : null)],
  ['p (Holm)', (row) => (row.lift?.p_adjusted == null ? null : probability(row.lift.p_adjusted))],
  ['n', (row) => (row.candidate ? [row.candidate, row.baseline].flatMap((arm) => arm?.runs ?? []).join(' + ') : null)],
  ['tokens', (row) => known(row, 'tokens', count)],
  ['cost', (row) => known(row, 'cost_usd', dollars)],
  ['time', (row) => known(row, 'time_seconds', seconds)],
]

const points = (difference: number) => `${signed(hundredths(difference), 0)} points`

/** Whether the rates, which count indicators too, differ by something else than what the verdict is about. */
function isApart({ delta, lift }: IndexRow): boolean {
  return delta !== null && lift !== null && hundredths(delta) !== hundredths(lift.mean)
}

/** One row a benchmark, named first; columns of which nothing is known are left out. The last column says what is wrong, and of which cases alone it is. */
export function indexTable(index: BenchmarkIndex): SummaryTable {
  const { rows } = index
  const titles: Record<string, string> = index.calibrations === true ? { with: 'again', without: 'first' } : {}
  const names: Column[] = [
    ['skill', (row) => row.skill],
    ['engine', (row) => row.cell],
  ]
  const marks: Column = ['', (row) => mark(row) || null]
  const shown = [...names, ...columns, marks].filter(([, cell]) => rows.some((row) => cell(row) !== null))
  return {
    header: shown.map(([title]) => titles[title] ?? title),
    rows: rows.map((row) => shown.map(([title, cell]) => cell(row) ?? (title === '' ? '' : '–'))),
  }
}

/** One sentence over everything: how many there are, how many got better, what is missing. */
export function indexHeadline({ rows, calibrations }: BenchmarkIndex): string {
  const whole = rows.filter(countedIn(rows))
  const number = (test: (row: IndexRow) => boolean, of: readonly IndexRow[] = rows) => of.filter(test).length
  const beyond = (change: IndexLift['change']) =>
    whole.some(({ lift }) => lift !== null)
      ? ` (${number(({ lift }) => lift?.change === change, whole)} beyond chance)`
      : ''
  const parts = [
    ...(calibrations === true
      ? [
          `${number(({ lift }) => lift !== null && lift.change !== 'within_chance', whole)} with more than chance between equal arms`,
        ]
      : [
          `${number((row) => (effectOf(row) ?? 0) > 0, whole)} better with the skill${beyond('better')}`,
          `${number((row) => effectOf(row) === 0, whole)} the same`,
          `${number((row) => (effectOf(row) ?? 0) < 0, whole)} worse${beyond('worse')}`,
        ]),
    ...counted(rows.length - whole.length, 'of chosen cases only'),
    ...counted(
      number((row) => row.status === 'incomplete'),
      'incomplete',
    ),
    ...counted(
      number((row) => row.status === 'failed'),
      'not benched',
    ),
    ...counted(
      number((row) => row.status === 'unbenched'),
      'without a benchmark',
    ),
  ]
  return `${plural(
    number(({ status }) => status !== 'unbenched'),
    calibrations === true ? 'calibration' : 'benchmark',
  )}: ${parts.join(', ')}.`
}

/** What the p of the table is; null where no row has one. */
export function indexHint({ rows, alpha }: BenchmarkIndex): string | null {
  const isCounted = countedIn(rows)
  const known = rows.filter((row) => isCounted(row) && row.lift !== null && row.lift.p_value !== null).length
  if (known === 0) return null
  const many = known === 1 ? '' : `, adjusted for ${known} comparisons (Holm)`
  const apart = rows.some(isApart) ? 'counted: by case, indicators left out. ' : ''
  return `${apart}p: on its own cases, indicators left out${many}; beyond chance: at most ${alpha}.`
}

function counted(number: number, what: string): string[] {
  return number === 0 ? [] : [`${number} ${what}`]
}

function rate(arm: IndexArm | null): string | null {
  return arm?.pass_rate ? `${percent(arm.pass_rate.mean)} ± ${percent(arm.pass_rate.stddev)}` : null
}

/** "with / without"; null where neither is known. */
function known(row: IndexRow, what: 'tokens' | 'cost_usd' | 'time_seconds', show: (value: number) => string) {
  const values = [row.candidate, row.baseline].map((arm) => arm?.[what] ?? null)
  if (values.every((value) => value === null)) return null
  return values.map((value) => (value === null ? '–' : show(value))).join(' / ')
}

const words = { done: '', incomplete: 'INCOMPLETE', unbenched: 'no benchmark' } as const

/** What is wrong, and of which cases alone it is; '' for neither. */
function mark(row: IndexRow): string {
  const wrong = row.status === 'failed' ? `FAILED: ${row.error?.message ?? ''}` : words[row.status]
  return [wrong, row.chosen ? chosenText(row.chosen) : ''].filter(Boolean).join(', ')
}
