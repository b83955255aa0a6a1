/** `index.html` and `index.md`: several benchmarks on one page, each linked to its own report. */
import { createHash } from 'node:crypto'
import type { BenchmarkIndex, IndexRow } from '../../../schemas/benchmark_index.ts'
import { chosenText } from './chosen_text.ts'
import { indexHeadline, indexHint, indexTable } from './index_table.ts'
import { table, text } from './markdown.ts'
import { type Cell, cellsOf } from './table_cells.ts'
import { asset, template } from './templates.ts'
import { visible } from './words.ts'

interface Item {
  name: string
  /** Relative address of the report; null where there is none. */
  link: string | null
  mark: string | null
  said: string
  why: string | null
  /** What else there is, each with the address of its tab. */
  more: { link: string | null; text: string }[]
}

interface View {
  kind: string
  /** Each row has an item below, and the table is explained as that of benchmarks. */
  isBenchmarks: boolean
  css: string
  styleHash: string
  headline: string
  judge: string | null
  hint: string | null
  header: string[]
  rows: { name: string; link: string | null; cells: Cell[] }[]
  items: Item[]
}

const css = asset('report.css') + asset('index.css')
const styleHash = createHash('sha256').update(css).digest('base64')
const fillHtml = template<View>('index.html.hbs', 'html')
const fillMarkdown = template<{
  headline: string
  judge: string | null
  hint: string | null
  table: string
  items: Item[]
}>('index.md.hbs', 'text')

/** A page and a text of rows that are no benchmarks; `report`: relative address, null: none. */
export interface IndexList {
  headline: string
  header: readonly string[]
  rows: readonly { report: string | null; cells: readonly string[] }[]
}

export function listHtml({ headline, header, rows }: IndexList): string {
  const shown = rows.map(({ report, cells: [name = '', ...cells] }) => ({
    name: visible(name),
    link: encodedPath(report),
    cells: cellsOf(header.slice(1), cells.map(visible)),
  }))
  const own = { kind: 'Evals', isBenchmarks: false, judge: null, hint: null, items: [] }
  return fillHtml({ css, styleHash, headline, header: [...header], rows: shown, ...own })
}

export function indexHtml(index: BenchmarkIndex): string {
  const { header, rows } = indexTable(index)
  return fillHtml({
    kind: 'Skill benchmarks',
    isBenchmarks: true,
    css,
    styleHash,
    headline: indexHeadline(index),
    judge: index.judge === null ? null : visible(index.judge),
    hint: indexHint(index),
    header,
    rows: rows.map(([name = '', ...cells], place) => ({
      name: visible(name),
      link: linkOf(index.rows[place]),
      cells: cellsOf(header.slice(1), cells.map(visible)),
    })),
    items: index.rows.map((row) => itemOf(row, visible)),
  })
}

export function indexMarkdown(index: BenchmarkIndex): string {
  const { header, rows } = indexTable(index)
  return fillMarkdown({
    headline: text(indexHeadline(index)),
    judge: index.judge === null ? null : text(index.judge),
    hint: nullable(indexHint(index), text),
    table: table(header, rows, 'numbers'),
    items: index.rows.map((row) => itemOf(row, text)),
  })
}

function itemOf(row: IndexRow, shown: (value: string) => string): Item {
  const { skill, cell, error, headline, incomplete, status, beside = [] } = row
  const link = linkOf(row)
  const wrong = status === 'done' || status === 'unbenched' ? [] : [status.toUpperCase()]
  const marks = [...wrong, ...(row.chosen ? [chosenText(row.chosen)] : [])]
  return {
    name: shown([skill, cell].filter((part) => part !== null).join(' · ')),
    link,
    mark: marks.join(', ') || null,
    said: shown(error?.message ?? headline ?? ''),
    why: nullable(error?.fix ?? incomplete, shown),
    more: beside.map(({ tab, text }) => ({ link: link === null ? null : `${link}#/${tab}`, text: shown(text) })),
  }
}

function nullable(value: string | null, shown: (value: string) => string): string | null {
  return value === null ? null : shown(value)
}

/** Every part encoded: no name can end the link or lead elsewhere. */
function linkOf(row: IndexRow | undefined): string | null {
  return encodedPath(row?.report ?? null)
}

function encodedPath(place: string | null): string | null {
  const parts = place?.split('/').map((part) => encodeURIComponent(part).replaceAll(/[()]/g, encodedParenthesis))
  return parts?.join('/') ?? null
}

function encodedParenthesis(sign: string): string {
  return sign === '(' ? '%28' : '%29'
}
