/** Writes `trend.html`: benchmarks over time on one self-contained page. */
import { createHash } from 'node:crypto'
import type { Trend } from '../../../../schemas/trend.ts'
import { makeVisible } from '../../../base/text/show_control_characters.ts'
import type { DiffSection } from '../diff/diff_text.ts'
import { type TableCell, toTableCells } from '../index/table_cells.ts'
import { compileTemplate, readAsset } from '../templates/templates.ts'
import { partialBenchmarkText, trendChart } from './trend_chart.ts'
import { trendHeadline, trendSections } from './trend_text.ts'

interface View {
  css: string
  styleHash: string
  title: string
  headline: string
  notes: readonly string[]
  /** `isPartial`: a dot is an incomplete benchmark, or one of chosen cases. */
  charts: { skill: string; svg: string; isPartial: boolean; isChanged: boolean }[]
  sections: { title: string; header: string[]; rows: TableCell[][] }[]
}

const css = readAsset('report.css') + readAsset('index.css') + readAsset('trend.css')
const styleHash = createHash('sha256').update(css).digest('base64')
const fill = compileTemplate<View>('trend.html.hbs', 'html')

export function trendHtml(trend: Trend): string {
  const skills = [...new Set(trend.points.map(({ skill }) => skill))]
  return fill({
    css,
    styleHash,
    title: 'Benchmarks over time',
    headline: trendHeadline(trend),
    notes: [],
    charts: skills.flatMap((skill) => {
      const own = trend.points.filter((point) => point.skill === skill)
      const svg = trendChart(own)
      const isPartial = own.some((point) => partialBenchmarkText(point) !== null && point.lift !== null)
      const isChanged = own.some((point) => point.level_change !== undefined && point.lift !== null)
      return svg === '' ? [] : { skill: makeVisible(skill), svg, isPartial, isChanged }
    }),
    sections: trendSections(trend).map(toViewSection),
  })
}

function toViewSection({ title, header, rows }: DiffSection): View['sections'][number] {
  return { title, header, rows: rows.map((row) => toTableCells(header, row)) }
}

/** A page of tables in the same look; all texts are made visible by the caller. */
export function tablesHtml(
  page: Pick<View, 'title' | 'headline' | 'notes'> & { sections: readonly DiffSection[] },
): string {
  return fill({ css, styleHash, charts: [], ...page, sections: page.sections.map(toViewSection) })
}
