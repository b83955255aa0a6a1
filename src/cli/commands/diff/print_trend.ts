/** Formats a trend for a terminal. */
import type { Trend } from '../../../../schemas/trend.ts'
import { trendHeadline, trendSections } from '../../../phases/4-report/trend/trend_text.ts'
import { alignColumns, colours, oneLine, toSafeLine } from '../../terminal/style.ts'

export function trendLines(trend: Trend): string[] {
  const { bold, dim } = colours(process.stdout)
  const sections = trendSections(trend).flatMap(({ title, header, rows }) => {
    const cells = [header, ...rows].map((row) => row.map((cell) => oneLine(cell, 80)))
    const [first = '', ...rest] = alignColumns(cells)
    return ['', bold(title), dim(first), ...rest]
  })
  return [bold(toSafeLine(trendHeadline(trend))), ...sections]
}
