/** csv: a CSV output, the first sheet of a workbook, or the answer, has these columns, this many rows, and these cells. */
import type { Options } from 'csv-parse/sync'
import * as z from 'zod'
import type { CheckOf } from '../../../../schemas/check.ts'
import { moduleFile, runBounded } from '../../../base/process/time_limited_worker.ts'
import { findDocumentFormat } from '../documents/document_formats.ts'
import { readWorkbookOnce } from '../documents/document_reads.ts'
import { listFirstRows } from '../documents/workbook.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { readSource } from './inputs/checked_text.ts'
import { capText, decideUnreadable, failUnreadable, formatNames } from './inputs/evidence.ts'
import { locateOutput } from './inputs/locate_output.ts'
import { isNear, parseNumber } from './inputs/number.ts'
import { isInRange, rangeText } from './inputs/range.ts'

const table = z.object({ header: z.array(z.string()), count: z.number(), rows: z.array(z.array(z.string())) })
type Table = z.infer<typeof table>
type Cells = NonNullable<CheckOf<'csv'>['cells']>[number]
type Cell = string | number

/** All conditions must be true; the evidence of a fail is the first that is not. */
export async function decideCsv(check: CheckOf<'csv'>, context: CheckContext): Promise<CheckVerdict> {
  const source = await readTableSource(check, context)
  if ('verdict' in source) return source.verdict
  const { label, fenced: text } = source
  const cells = (check.cells ?? []).map(composeCells)
  const columns = [...new Set(cells.flatMap(({ where = {}, column }) => [...Object.keys(where), column]))]
  const { delimiter = ',' } = check
  const options = { bom: true, delimiter, skip_empty_lines: true } satisfies Options
  const job = { kind: 'csv', library: moduleFile('csv-parse/sync'), options, text, columns } as const
  const end = await runBounded(job, table, context.signal)
  if ('error' in end) return buildUnreadableVerdict(label, end)
  const { header, count } = end.value
  const lacking = [...new Set([...(check.columns ?? []).map(composeText), ...columns])].filter(
    (name) => !header.includes(name),
  )
  if (lacking.length > 0) {
    return {
      passed: false,
      evidence: `${label}: no column ${formatNames(lacking)}; its first line has ${formatNames(header)}`,
    }
  }
  if (check.rows !== undefined && !isInRange(check.rows, count)) {
    return { passed: false, evidence: `${label}: ${formatRowCount(count)}, not ${rangeText(check.rows)}` }
  }
  const wrong = cells.map((one) => findCellMistake(one, columns, end.value)).find((one) => one !== null)
  if (wrong !== undefined) return { passed: false, evidence: capText(`${label}: ${wrong}`) }
  return { passed: true, evidence: `${label}: ${formatRowCount(count)}; columns: ${formatNames(header)}` }
}

/** A workbook counts as the CSV of its first sheet. */
async function readTableSource({ path, delimiter = ',' }: CheckOf<'csv'>, context: CheckContext) {
  const located = path === undefined ? null : await locateOutput(path, context)
  if (located?.status !== 'found' || findDocumentFormat(located.path) !== 'xlsx') return readSource(path, context)
  const book = await readWorkbookOnce({ file: located.file, name: located.path }, context)
  if ('status' in book) return { verdict: decideUnreadable(located.path, book) }
  const rows = listFirstRows(book.sheets)
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  const quote = (text = '') => `"${composeText(text).replaceAll('"', '""')}"`
  const lines = rows.map((row) => Array.from({ length: width }, (_, at) => quote(row[at])).join(delimiter))
  return { label: located.path, fenced: lines.join('\n') }
}

function composeText(text: string): string {
  return text.normalize('NFC')
}

function composeCells({ where = {}, column, equals, ...rest }: Cells): Cells {
  const conditions = Object.entries(where).map(([name, is]) => [composeText(name), composeCell(is)])
  return { ...rest, where: Object.fromEntries(conditions), column: composeText(column), equals: composeCell(equals) }
}

function composeCell(value: Cell): Cell {
  return typeof value === 'string' ? composeText(value) : value
}

function buildUnreadableVerdict(label: string, { error, by }: { error: string; by: 'work' | 'limit' }): CheckVerdict {
  return by === 'limit'
    ? failUnreadable(`${label}: ${error}`)
    : { passed: false, evidence: `${label} is not valid CSV: ${capText(error)}` }
}

function findCellMistake({ where = {}, column, equals, tolerance }: Cells, columns: string[], { rows }: Table) {
  const at = (row: readonly string[], name: string) => row[columns.indexOf(name)] ?? ''
  const conditions = Object.entries(where)
  const meant = rows.filter((row) => conditions.every(([name, cell]) => isCell(at(row, name), cell, 0)))
  const of =
    conditions.length === 0
      ? 'row'
      : `row with ${conditions.map(([name, is]) => `${name} ${JSON.stringify(is)}`).join(' and ')}`
  if (meant.length === 0) return `no ${of}`
  const off = meant.find((row) => !isCell(at(row, column), equals, tolerance ?? 0))
  if (off === undefined) return null
  const which = meant.length === 1 ? `the ${of}` : `one of ${meant.length} rows${of.slice('row'.length)}`
  const near = tolerance === undefined || typeof equals === 'string' ? '' : ` ± ${tolerance}`
  return `${which} has ${column} ${JSON.stringify(at(off, column))}, not ${JSON.stringify(equals)}${near}`
}

function formatRowCount(count: number): string {
  return `${count} row${count === 1 ? '' : 's'}`
}

function isCell(text: string, wanted: Cell, tolerance: number): boolean {
  if (typeof wanted === 'string') return text.trim() === wanted.trim()
  const number = parseNumber(text)
  return number !== null && isNear(number, wanted, tolerance)
}
