/** A trend in words: a headline and tables of plain cells, for terminal, Markdown and page. */
import type { Trend, TrendGroup, TrendMonth, TrendPoint } from '../../../../schemas/trend.ts'
import { makeVisible } from '../../../base/text/show_control_characters.ts'
import type { DiffSection } from '../../../phases/4-report/diff/diff_text.ts'
import {
  formatConfiguration,
  formatDollars,
  formatPercent,
  formatPlural,
  showTrendPoint,
} from '../../../phases/4-report/text/format.ts'
import { markdownSections } from '../../../phases/4-report/text/markdown.ts'
import { chosenText } from '../../../phases/4-report/text/selected_cases.ts'

/** "5 benchmarks, 2026-01-02 to 2026-03-01. pdf: +12 [-3, 27] points, then +31 [12, 48]." */
export function trendHeadline({ points }: Trend): string {
  const days = points.map(({ timestamp }) => day(timestamp))
  if (days.length === 0) return 'No benchmark.'
  const span = `${formatPlural(days.length, 'benchmark')}, ${days[0]} to ${days.at(-1)}.`
  const skills = [...new Set(points.map(({ skill }) => skill))]
  const each = skills.slice(0, 5).flatMap((skill) => {
    const compared = points.filter((point) => point.skill === skill && point.lift !== null)
    const newest = compared.at(-1)
    const all = compared.filter((point) => newest !== undefined && isAlike(point, newest))
    const whole = all.filter(({ chosen }) => chosen === undefined)
    const own = whole.length > 0 ? whole : all
    const [from, to] = [own[0], own.at(-1)]
    if (from === undefined || to === undefined) return []
    const then = own.length === 1 ? '' : `, then ${liftText(to)}`
    return [`${makeVisible(skill)}: ${liftText(from)} points${then}.`]
  })
  return [span, ...each].join(' ')
}

/** Whether the same engine and model ran the same suite against the same kind of baseline. */
function isAlike(one: TrendPoint, other: TrendPoint): boolean {
  const facts = ({ engine, model, suite_version: suite, baseline }: TrendPoint) =>
    [engine, model, suite, baseline?.configuration].join(' ')
  return facts(one) === facts(other)
}

export function trendSections(trend: Trend): DiffSection[] {
  const isMixed = new Set(trend.points.map(({ skill }) => skill)).size > 1
  const named = (title: string, groups: readonly TrendGroup[]) =>
    section(title, groups, [
      ['skill', ({ skill }) => (isMixed ? makeVisible(skill) : null)],
      ['', ({ name }) => makeVisible(name)],
      ['engine', ({ newest }) => nullable(newest.engine)],
      ['benchmarks', ({ benchmarks }) => String(benchmarks)],
      ['newest', ({ newest }) => day(newest.timestamp)],
      ...rates.map(([header, cell]): Column<TrendGroup> => [header, ({ newest }) => cell(newest)]),
    ])
  return [
    section('Benchmarks', trend.points, [
      ['date', ({ timestamp }) => timestamp.slice(0, 16).replace('T', ' ')],
      ['skill', ({ skill }) => (isMixed ? makeVisible(skill) : null)],
      ['version', ({ skill_version }) => skill_version?.slice(0, 12) ?? null],
      ['model', ({ model }) => nullable(model)],
      ['agent', ({ engine, agent_version }) => nullable([engine, agent_version].filter(Boolean).join(' ') || null)],
      ...rates,
      ['folder', ({ folder }) => makeVisible(folder)],
    ]),
    named('By skill version', trend.by.skill_version),
    named('By model', trend.by.model),
    named('By agent version', trend.by.agent_version),
    section('Costs by month', trend.costs, costs),
    section('Left out', trend.left_out, [
      ['file', ({ file }) => makeVisible(file)],
      ['why', ({ message }) => makeVisible(message)],
    ]),
  ].filter(({ rows }) => rows.length > 0)
}

export function trendMarkdown(trend: Trend): string {
  return markdownSections(trendHeadline(trend), { sections: trendSections(trend) })
}

type Column<Row> = [header: string, cell: (row: Row) => string | null]

const rates: readonly Column<TrendPoint>[] = [
  ['candidate', (point) => armText(point.candidate, showTrendPoint(point).candidate)],
  ['baseline', (point) => armText(point.baseline, showTrendPoint(point).baseline)],
  ['difference', (point) => (point.lift === null ? null : liftText(point))],
  ['cases', ({ cases }) => String(cases)],
  [
    '',
    ({ complete, chosen, level_change: change }) =>
      joinCellParts(
        complete ? null : 'INCOMPLETE',
        chosen === undefined ? null : chosenText(chosen),
        change === undefined ? null : levelChangeText(change),
      ),
  ],
]

/** "level fell: 92% to 71%". */
export function levelChangeText({ direction, from, to }: NonNullable<TrendPoint['level_change']>): string {
  return `level ${direction === 'up' ? 'rose' : 'fell'}: ${formatPercent(from)} to ${formatPercent(to)}`
}

/** "94% with skill". */
function armText(arm: TrendPoint['candidate'], rate: string): string | null {
  return arm && `${rate} ${makeVisible(formatConfiguration(arm.configuration))}`
}

const joinCellParts = (...parts: (string | null)[]) => parts.filter((part) => part !== null).join(', ') || null

const costs: readonly Column<TrendMonth>[] = [
  ['month', ({ month }) => month],
  ['benchmarks', ({ benchmarks }) => String(benchmarks)],
  ['agent', ({ agent_usd }) => usd(agent_usd)],
  ['judge', ({ judge_usd }) => usd(judge_usd)],
  ['improve', ({ improve_usd }) => usd(improve_usd)],
  ['of unknown cost', ({ unknown_runs }) => (unknown_runs === 0 ? null : formatPlural(unknown_runs, 'run'))],
]

/** Columns without a value are omitted. */
function section<Row>(title: string, all: readonly Row[], columns: readonly Column<Row>[]): DiffSection {
  const shown = columns.filter(([, cell]) => all.some((row) => cell(row) !== null))
  return {
    title,
    header: shown.map(([header]) => header),
    rows: all.map((row) => shown.map(([header, cell]) => cell(row) ?? (header === '' ? '' : '–'))),
  }
}

function liftText(point: TrendPoint): string {
  const { points, interval } = showTrendPoint(point)
  return points === '' ? '–' : `${points} ${interval}`.trim()
}

function day(timestamp: string): string {
  return timestamp.slice(0, 10)
}

function nullable(value: string | null): string | null {
  return value === null ? null : makeVisible(value)
}

function usd(value: number | null): string | null {
  return value === null ? null : formatDollars(value)
}
