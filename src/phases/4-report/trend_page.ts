/** `trend.html`: benchmarks over time on one page that needs nothing else. */
import { createHash } from 'node:crypto'
import type { Trend } from '../../../schemas/trend.ts'
import { type Cell, cellsOf } from './table_cells.ts'
import { asset, template } from './templates.ts'
import { partText, trendChart } from './trend_chart.ts'
import { trendHeadline, trendSections } from './trend_text.ts'
import { visible } from './words.ts'

interface View {
  css: string
  styleHash: string
  headline: string
  /** `isPartial`: an incomplete one, or one of some cases only, is among the dots. */
  charts: { skill: string; svg: string; isPartial: boolean }[]
  sections: { title: string; header: string[]; rows: Cell[][] }[]
}

const css = asset('report.css') + asset('index.css') + asset('trend.css')
const styleHash = createHash('sha256').update(css).digest('base64')
const fill = template<View>('trend.html.hbs', 'html')

export function trendHtml(trend: Trend): string {
  const skills = [...new Set(trend.points.map(({ skill }) => skill))]
  return fill({
    css,
    styleHash,
    headline: trendHeadline(trend),
    charts: skills.flatMap((skill) => {
      const own = trend.points.filter((point) => point.skill === skill)
      const svg = trendChart(own)
      const isPartial = own.some((point) => partText(point) !== null && point.lift !== null)
      return svg === '' ? [] : { skill: visible(skill), svg, isPartial }
    }),
    sections: trendSections(trend).map(({ title, header, rows }) => ({
      title,
      header,
      rows: rows.map((row) => cellsOf(header, row)),
    })),
  })
}
