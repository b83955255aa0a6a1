/** A trend as lines of a terminal. */
import type { Trend } from '../../schemas/trend.ts'
import { trendHeadline, trendSections } from '../phases/4-report/trend_text.ts'
import { colours, columns, oneLine, safe } from './style.ts'

export function trendLines(trend: Trend): string[] {
  const { bold, dim } = colours(process.stdout)
  const sections = trendSections(trend).flatMap(({ title, header, rows }) => {
    const cells = [header, ...rows].map((row) => row.map((cell) => oneLine(cell, 80)))
    const [first = '', ...rest] = columns(cells)
    return ['', bold(title), dim(first), ...rest]
  })
  return [bold(safe(trendHeadline(trend))), ...sections]
}
