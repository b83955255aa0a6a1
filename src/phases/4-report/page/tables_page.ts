/** A self-contained page of tables, with charts above them: benchmarks over time, a ranking, a watch, many benchmarks, evals. */
import { createHash } from 'node:crypto'
import type { DiffSection } from '../diff/diff_text.ts'
import { compileTemplate, readAsset, type TableCell, toTableCells } from '../templates/templates.ts'

/** An entry of a list below the tables. */
export interface PageItem {
  name: string
  /** Relative address; null: none. */
  link: string | null
  mark: string | null
  said: string
  why: string | null
  more: { link: string | null; text: string }[]
}

interface PageSection extends DiffSection {
  /** Set: the first cell of a row names it, and its address (relative) is here. */
  links?: readonly (string | null)[]
  /** Above and below the table. */
  text?: string | null
  hint?: string | null
}

interface View {
  css: string
  styleHash: string
  title: string
  headline: string
  notes: readonly string[]
  charts: readonly { title: string; svg: string; hint: string }[]
  sections: (Record<'text' | 'hint', string | null> & {
    title: string
    header: string[]
    rows: { head: { name: string; link: string | null } | null; cells: TableCell[] }[]
  })[]
  items: readonly PageItem[]
}

const css = readAsset('report.css') + readAsset('index.css') + readAsset('trend.css')
const styleHash = createHash('sha256').update(css).digest('base64')
const fill = compileTemplate<View>('tables.html.hbs', 'html')

/** All texts are made visible by the caller. */
export function tablesHtml({
  sections,
  ...page
}: Pick<View, 'title' | 'headline'> &
  Partial<Pick<View, 'notes' | 'charts' | 'items'>> & { sections: readonly PageSection[] }): string {
  return fill({
    ...{ css, styleHash, notes: [], charts: [], items: [], ...page },
    sections: sections.map(({ title, header, rows, links, text = null, hint = null }) => ({
      ...{ title, header, text, hint },
      rows: rows.map((row, at) => {
        const cells = toTableCells(header, row)
        if (links === undefined) return { head: null, cells }
        return { head: { name: row[0] ?? '', link: links[at] ?? null }, cells: cells.slice(1) }
      }),
    })),
  })
}
