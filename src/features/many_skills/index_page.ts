/** Writes `index.html` and `index.md`: several benchmarks on one page, each linked to its own report. */
import type { BenchmarkIndex, IndexRow } from '../../../schemas/benchmark_index.ts'
import { makeVisible } from '../../base/text/show_control_characters.ts'
import { type PageItem, tablesHtml } from '../../phases/4-report/page/tables_page.ts'
import { compileTemplate } from '../../phases/4-report/templates/templates.ts'
import { escapeMarkdown, markdownTable } from '../../phases/4-report/text/markdown.ts'
import { chosenText } from '../../phases/4-report/text/selected_cases.ts'
import type { SummaryTable } from '../../phases/4-report/text/summary_table.ts'
import {
  frontSentence,
  indexHeadline,
  indexHint,
  indexTable,
  pairsSentence,
  pairsTable,
  suspiciousMark,
} from './index_table.ts'

type MarkdownView = Record<'headline' | 'table', string> &
  Record<'judge' | 'hint' | 'front' | 'pairs' | 'pairsSentence', string | null> & {
    isComparison: boolean
    items: PageItem[]
  }
const fillMarkdown = compileTemplate<MarkdownView>('index.md.hbs', 'text')

export function indexHtml(index: BenchmarkIndex): string {
  const { judge, rows } = index
  const arms =
    index.comparisons === true
      ? ['of the first and the second configuration', 'first / second']
      : ['with and without the skill (or with its new and old version)', 'with / without']
  const hints = [
    `Pass rate: mean ± sample standard deviation over the n graded runs ${arms[0]}. Tokens, cost and time per run: ${arms[1]}.`,
    ...[indexHint(index), judge && `Judge for all: ${makeVisible(judge)}.`],
  ]
  const summary = {
    ...{ title: 'Side by side', ...showTable(indexTable(index)), links: rows.map(buildReportLink) },
    ...{ text: nullable(frontSentence(index), makeVisible), hint: hints.filter(Boolean).join(' ') },
  }
  const pairs = pairsTable(index)
  const compared = pairs && {
    ...{ title: 'Models against each other', ...showTable(pairs), links: [] },
    text: nullable(pairsSentence(index), makeVisible),
  }
  return tablesHtml({
    ...{ title: 'Skill benchmarks', headline: indexHeadline(index) },
    sections: compared === null ? [summary] : [summary, compared],
    items: rows.map((row) => toIndexItem(row, makeVisible)),
  })
}

function showTable({ header, rows }: SummaryTable): SummaryTable {
  return { header, rows: rows.map((row) => row.map(makeVisible)) }
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

function toIndexItem(row: IndexRow, shown: (value: string) => string): PageItem {
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
function buildReportLink({ report }: IndexRow): string | null {
  return report && encodePath(report)
}

function encodePath(place: string): string {
  const parts = place.split('/').map((part) => encodeURIComponent(part).replaceAll(/[()]/g, encodeParenthesis))
  return parts.join('/')
}

function encodeParenthesis(sign: string): string {
  return sign === '(' ? '%28' : '%29'
}
