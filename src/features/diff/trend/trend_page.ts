/** Writes `trend.html`: benchmarks over time on one self-contained page. */
import type { Trend, TrendPoint } from '../../../../schemas/trend.ts'
import { makeVisible } from '../../../base/text/show_control_characters.ts'
import { tablesHtml } from '../../../phases/4-report/page/tables_page.ts'
import { chosenText } from '../../../phases/4-report/text/selected_cases.ts'
import { levelChangeText, trendHeadline, trendSections } from './trend_text.ts'

export function trendHtml(trend: Trend): string {
  const skills = [...new Set(trend.points.map(({ skill }) => skill))]
  return tablesHtml({
    title: 'Benchmarks over time',
    headline: trendHeadline(trend),
    charts: skills.flatMap((skill) => {
      const own = trend.points.filter((point) => point.skill === skill)
      const svg = trendChart(own)
      return svg === '' ? [] : { title: `Lift of ${makeVisible(skill)}`, svg, hint: chartHint(own) }
    }),
    sections: trendSections(trend),
  })
}

function chartHint(points: readonly TrendPoint[]): string {
  const drawn = points.filter(({ lift }) => lift !== null)
  return [
    'Difference in pass rate with and without the skill, in points, on the cases of each benchmark, with 95% CI. A line connects benchmarks of the same engine and model.',
    drawn.some((point) => partialBenchmarkText(point) !== null) &&
      'A hollow dot is an incomplete benchmark or one of only some cases; no line connects it.',
    drawn.some(({ level_change }) => level_change !== undefined) &&
      'A dotted line across the chart is where the pass rate with the skill changed its level.',
  ]
    .filter(Boolean)
    .join(' ')
}

const size = { width: 720, height: 244, left: 58, right: 12, top: 12, bottom: 52 }
/** The most date labels that fit below the chart. */
const mostLabels = 8
/** This many dates are readable if the whole chart is as wide as a phone. */
const few = 4

interface DrawnPoint {
  point: TrendPoint
  lift: NonNullable<TrendPoint['lift']>
  /** The horizontal position. */
  x: number
}

/** It contains only numbers and dates, so nothing from outside. Empty for fewer than two points. */
function trendChart(points: readonly TrendPoint[]): string {
  const known = points.flatMap((point) => (point.lift === null ? [] : { point, lift: point.lift }))
  if (known.length < 2) return ''
  const step = (size.width - size.left - size.right) / known.length
  const shown = known.map((one, at) => ({ ...one, x: round(size.left + step * (at + 0.5)) }))
  const body = [...grid(), ...lines(shown), ...shown.map(mark), ...labels(shown)].join('')
  const kind = shown.length > few ? 'trend' : 'trend few'
  return `<svg class="${kind}" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="Lift in points, benchmark by benchmark">${body}</svg>`
}

function grid(): string[] {
  return [1, 0.5, 0, -0.5, -1].map(
    (value) =>
      `<path class="${value === 0 ? 'zero' : 'grid'}" d="M${size.left} ${y(value)}H${size.width - size.right}"/>` +
      `<text x="${size.left - 6}" y="${y(value) + 4}" text-anchor="end">${value > 0 ? '+' : ''}${value * 100}</text>`,
  )
}

/** Why a benchmark can't be compared with its neighbours: missing runs or cases may change its result. null: it can. */
function partialBenchmarkText({ complete, chosen }: Pick<TrendPoint, 'complete' | 'chosen'>): string | null {
  if (!complete) return 'incomplete'
  return chosen === undefined ? null : chosenText(chosen)
}

/** Through the complete benchmarks of one engine and model. */
function lines(shown: readonly DrawnPoint[]): string[] {
  const series = new Map<string, string[]>()
  for (const { point, lift, x } of shown.filter((one) => partialBenchmarkText(one.point) === null)) {
    const key = JSON.stringify([point.engine, point.model])
    series.set(key, [...(series.get(key) ?? []), `${x} ${y(lift.mean)}`])
  }
  return [...series.values()].flatMap((own) => (own.length < 2 ? [] : `<path class="series" d="M${own.join('L')}"/>`))
}

function mark({ point, lift: { mean, ci_low, ci_high }, x }: DrawnPoint): string {
  const part = partialBenchmarkText(point)
  const open = part === null ? '' : ' open'
  const interval =
    ci_low === null || ci_high === null ? '' : `<path class="interval${open}" d="M${x} ${y(ci_low)}V${y(ci_high)}"/>`
  const change = point.level_change && levelChangeText(point.level_change)
  const words = [part, change].filter(Boolean).join('; ')
  const title = words === '' ? '' : `<title>${words}</title>`
  const line = change === undefined ? '' : `<path class="change" d="M${x} ${size.top}V${y(-1)}"/>`
  return `${line}${interval}<circle class="dot${open}" cx="${x}" cy="${y(mean)}" r="4">${title}</circle>`
}

/** Dates in UTC. If a day repeats, the time is below it, with seconds if minutes repeat. */
function labels(shown: readonly DrawnPoint[]): string[] {
  const every = Math.ceil(shown.length / mostLabels)
  const labelled = shown.filter((_one, at) => at % every === 0)
  const repeats = (text: string) => labelled.filter(({ point }) => point.timestamp.startsWith(text)).length > 1
  return labelled.map(({ point: { timestamp }, x }) => {
    const [day, minute] = [timestamp.slice(0, 10), timestamp.slice(0, 16)]
    const time = !repeats(day) ? '' : timestamp.slice(11, repeats(minute) ? 19 : 16)
    return label(x, day, 30) + (time === '' ? '' : label(x, time, 9))
  })
}

function label(x: number, text: string, above: number): string {
  return `<text x="${x}" y="${size.height - above}" text-anchor="middle">${text}</text>`
}

function y(value: number): number {
  return round(size.top + ((1 - value) / 2) * (size.height - size.top - size.bottom))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
