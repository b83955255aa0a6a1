/** A self-contained page of tables, with charts above them: benchmarks over time, a ranking, a watch. */
import { createHash } from 'node:crypto'
import type { DiffSection } from '../diff/diff_text.ts'
import { compileTemplate, readAsset, type TableCell, toTableCells } from '../templates/templates.ts'

interface View {
  css: string
  styleHash: string
  title: string
  headline: string
  notes: readonly string[]
  charts: readonly { title: string; svg: string; hint: string }[]
  sections: { title: string; header: string[]; rows: TableCell[][] }[]
}

const css = readAsset('report.css') + readAsset('index.css') + readAsset('trend.css')
const styleHash = createHash('sha256').update(css).digest('base64')
const fill = compileTemplate<View>('tables.html.hbs', 'html')

/** All texts are made visible by the caller. */
export function tablesHtml({
  sections,
  ...page
}: Pick<View, 'title' | 'headline' | 'notes' | 'charts'> & { sections: readonly DiffSection[] }): string {
  return fill({
    css,
    styleHash,
    ...page,
    sections: sections.map(({ title, header, rows }) => ({
      title,
      header,
      rows: rows.map((row) => toTableCells(header, row)),
    })),
  })
}
