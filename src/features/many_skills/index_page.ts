/** Writes `index.html` and `index.md`: several benchmarks on one page, each linked to its own report. */
import { createHash } from 'node:crypto'
import type { BenchmarkIndex, IndexRow } from '../../../schemas/benchmark_index.ts'
import { makeVisible } from '../../base/text/show_control_characters.ts'
import { compileTemplate, readAsset, type TableCell, toTableCells } from '../../phases/4-report/templates/templates.ts'
import { escapeMarkdown, markdownTable } from '../../phases/4-report/text/markdown.ts'
import { chosenText } from '../../phases/4-report/text/selected_cases.ts'
import {
  frontSentence,
  indexHeadline,
  indexHint,
  indexTable,
  pairsSentence,
  pairsTable,
  suspiciousMark,
} from './index_table.ts'

interface Item {
  name: string
  /** Relative address of the report; null: none. */
  link: string | null
  mark: string | null
  said: string
  why: string | null
  /** Further results, each with the address of its tab. */
  more: { link: string | null; text: string }[]
}

interface View {
  kind: string
  /** Each row has an item below, and the page explains the benchmark table. */
  isBenchmarks: boolean
  isComparison: boolean
  css: string
  styleHash: string
  headline: string
  judge: string | null
  hint: string | null
  header: string[]
  rows: { name: string; link: string | null; cells: TableCell[] }[]
  front: string | null
  pairs: { sentence: string; header: string[]; rows: { name: string; cells: TableCell[] }[] } | null
  items: Item[]
}

const css = readAsset('report.css') + readAsset('index.css')
const styleHash = createHash('sha256').update(css).digest('base64')
const fillHtml = compileTemplate<View>('index.html.hbs', 'html')
type MarkdownView = Pick<View, 'isComparison' | 'headline' | 'judge' | 'hint' | 'front' | 'items'> &
  Record<'table', string> &
  Record<'pairs' | 'pairsSentence', string | null>
const fillMarkdown = compileTemplate<MarkdownView>('index.md.hbs', 'text')

/** A page for rows that are not benchmarks; `report`: relative address, null: none. */
export interface IndexList {
  headline: string
  header: readonly string[]
  rows: readonly { report: string | null; cells: readonly string[] }[]
}

export function listHtml({ headline, header, rows }: IndexList): string {
  const shown = rows.map(({ report, cells }) => ({ link: encodePath(report), ...toViewRow(header, cells) }))
  const own = { kind: 'Evals', css, styleHash, headline, header: [...header], rows: shown }
  const none = {
    isBenchmarks: false,
    isComparison: false,
    judge: null,
    hint: null,
    front: null,
    pairs: null,
    items: [],
  }
  return fillHtml({ ...own, ...none })
}

export function indexHtml(index: BenchmarkIndex): string {
  const { header, rows } = indexTable(index)
  return fillHtml({
    kind: 'Skill benchmarks',
    isBenchmarks: true,
    isComparison: index.comparisons === true,
    css,
    styleHash,
    headline: indexHeadline(index),
    judge: index.judge === null ? null : makeVisible(index.judge),
    hint: indexHint(index),
    header,
    rows: rows.map((cells, place) => ({ link: buildReportLink(index.rows[place]), ...toViewRow(header, cells) })),
    front: nullable(frontSentence(index), makeVisible),
    pairs: pairsView(index),
    items: index.rows.map((row) => toIndexItem(row, makeVisible)),
  })
}

function pairsView(index: BenchmarkIndex): View['pairs'] {
  const table = pairsTable(index)
  if (table === null) return null
  return {
    sentence: makeVisible(pairsSentence(index) ?? ''),
    header: table.header,
    rows: table.rows.map((cells) => toViewRow(table.header, cells)),
  }
}

function toViewRow(header: readonly string[], [name = '', ...cells]: readonly string[]) {
  return { name: makeVisible(name), cells: toTableCells(header.slice(1), cells.map(makeVisible)) }
}

export function indexMarkdown(index: BenchmarkIndex): string {
  const { header, rows } = indexTable(index)
  const pairs = pairsTable(index)
  return fillMarkdown({
    isComparison: index.comparisons === true,
    headline: escapeMarkdown(indexHeadline(index)),
    judge: index.judge === null ? null : escapeMarkdown(index.judge),
    hint: nullable(indexHint(index), escapeMarkdown),
    table: markdownTable(header, rows, 'numbers', ['rate and price']),
    front: nullable(frontSentence(index), escapeMarkdown),
    pairs: pairs && markdownTable(pairs.header, pairs.rows, 'numbers'),
    pairsSentence: nullable(pairsSentence(index), escapeMarkdown),
    items: index.rows.map((row) => toIndexItem(row, escapeMarkdown)),
  })
}

function toIndexItem(row: IndexRow, shown: (value: string) => string): Item {
  const { skill, cell, error, headline, incomplete, status, beside = [] } = row
  const link = buildReportLink(row)
  const wrong = status === 'done' || status === 'unbenched' ? [] : [status.toUpperCase()]
  const suspicious = suspiciousMark(row)
  const marks = [
    ...wrong,
    ...(suspicious === null ? [] : [suspicious]),
    ...(row.chosen ? [chosenText(row.chosen)] : []),
  ]
  return {
    name: shown([skill, cell].filter((part) => part !== null).join(' · ')),
    link,
    mark: marks.join(', ') || null,
    said: shown(error?.message ?? headline ?? ''),
    why: nullable(error?.fix ?? incomplete, shown),
    more: beside.map(({ tab, text, report }) => ({
      link: report === undefined ? link && `${link}#/${tab}` : encodePath(report),
      text: shown(text),
    })),
  }
}

function nullable(value: string | null, shown: (value: string) => string): string | null {
  return value === null ? null : shown(value)
}

/** Every part is encoded, so that no name can end the link or point elsewhere. */
function buildReportLink(row: IndexRow | undefined): string | null {
  return encodePath(row?.report ?? null)
}

function encodePath(place: string | null): string | null {
  const parts = place?.split('/').map((part) => encodeURIComponent(part).replaceAll(/[()]/g, encodeParenthesis))
  return parts?.join('/') ?? null
}

function encodeParenthesis(sign: string): string {
  return sign === '(' ? '%28' : '%29'
}
