/** Checks of data: json_path, json_schema, csv, cell. */
import { isDeepStrictEqual } from 'node:util'
import type { Options } from 'csv-parse/sync'
import * as z from 'zod'
import type { CheckOf } from '../../../../schemas/check.ts'
import { ajvModule, ajvOptions, listLinearPatterns } from '../../../base/json/json_schema.ts'
import { moduleFile, runBounded } from '../../../base/process/time_limited_worker.ts'
import { findCell, findDocumentReader, listFirstRows, type WorkbookCell } from '../documents/document_formats.ts'
import { readWorkbookOnce } from '../documents/document_reads.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText, decideUnreadable, failUnreadable, formatNames } from './inputs/check_input.ts'
import { composeTexts, locateOutput, parseSource, readSource } from './inputs/locate_output.ts'
import { isInRange, isNear, parseNumber, rangeText } from './inputs/range.ts'

const found = z.object({ matches: z.number(), first: z.unknown(), at: z.string().optional() })

/** A JSONPath query (RFC 9535) has a match in a JSON output or in the answer, and the first match equals a value. */
export async function decideJsonPath(check: CheckOf<'json_path'>, context: CheckContext): Promise<CheckVerdict> {
  const source = await readSource(check.path, context)
  if ('verdict' in source) return source.verdict
  const parsed = parseSource(source)
  if ('mistake' in parsed) return { passed: false, evidence: capText(parsed.mistake) }
  const job = {
    kind: 'json_path',
    library: moduleFile('json-p3'),
    query: check.query.normalize('NFC'),
    value: parsed.value,
  } as const
  const end = await runBounded(job, found, context.signal)
  if ('error' in end) {
    const query = `the query ${capText(check.query, 120)} could not be evaluated: ${end.error}`
    const alone = await runBounded({ ...job, value: null }, found, context.signal)
    return 'error' in alone ? { error: query } : failUnreadable(`${source.label}: ${query}`)
  }
  const { matches, first, at } = end.value
  if (matches === 0) return { passed: false, evidence: `${check.query} finds nothing in ${source.label}` }
  const said = `${source.label}: ${at} is ${capText(JSON.stringify(first))}`
  if (check.equals === undefined) return { passed: true, evidence: said }
  if (isDeepStrictEqual(composeTexts(first), composeTexts(check.equals))) return { passed: true, evidence: said }
  return { passed: false, evidence: `${said}, not ${capText(JSON.stringify(check.equals))}` }
}

/** The first mismatch and its place; null: valid. */
const mistake = z.object({ at: z.string(), message: z.string(), extra: z.string().optional() }).nullable()

/**
 * The JSON in an output file or in the answer matches a JSON Schema.
 * Runs in a worker thread with a time limit, because a pattern that RE2 cannot run may never end on the agent's text.
 */
export async function decideJsonSchema(check: CheckOf<'json_schema'>, context: CheckContext): Promise<CheckVerdict> {
  const { schema } = check
  if (schema === undefined) return { error: `the schema ${check.file} could not be read` }
  const library = ajvModule(schema)
  if (library === null) return { error: 'the schema has an unknown dialect' }
  const source = await readSource(check.path, context)
  if ('verdict' in source) return source.verdict
  const parsed = parseSource(source)
  if ('mistake' in parsed) return { passed: false, evidence: capText(parsed.mistake) }
  const modules = { ajv: moduleFile(library), formats: moduleFile('ajv-formats'), re2: moduleFile('re2js') }
  const patterns = await listLinearPatterns(schema)
  const job = { kind: 'json_schema', ...modules, options: ajvOptions, patterns, schema, value: parsed.value } as const
  const end = await runBounded(job, mistake, context.signal)
  if ('error' in end) {
    const why = `the schema could not be evaluated: ${capText(end.error)}`
    const alone = await runBounded({ ...job, value: null }, mistake, context.signal)
    return 'error' in alone ? { error: why } : failUnreadable(`${source.label}: ${why}`)
  }
  const wrong = end.value
  if (wrong === null) return { passed: true, evidence: `${source.label} matches the schema` }
  const extra = wrong.extra === undefined ? '' : ` (${wrong.extra})`
  return { passed: false, evidence: capText(`${source.label}: ${wrong.at || '/'} ${wrong.message}${extra}`) }
}

const table = z.object({ header: z.array(z.string()), count: z.number(), rows: z.array(z.array(z.string())) })
type Table = z.infer<typeof table>
type Cells = NonNullable<CheckOf<'csv'>['cells']>[number]
type Cell = string | number

/**
 * A CSV output, the first sheet of a workbook, or the answer, has these columns, this many rows, and these cells.
 * All conditions must be true; the evidence of a fail is the first that is not.
 */
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
  if (located?.status !== 'found' || findDocumentReader(located.path)?.format !== 'xlsx')
    return readSource(path, context)
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

/**
 * One cell of a delivered workbook has a value.
 * A formula counts by the result that was saved with it; without one there is no value, because nothing is calculated.
 */
export async function decideCell(check: CheckOf<'cell'>, context: CheckContext): Promise<CheckVerdict> {
  const located = await locateOutput(check.path, context)
  if (located.status === 'undecided') return located.verdict
  if (located.status === 'missing') return { passed: false, evidence: located.evidence }
  const { path, file } = located
  const book = await readWorkbookOnce({ file, name: path }, context)
  if ('status' in book) return decideUnreadable(path, book)
  const names = book.sheets.map(({ name }) => name)
  const sheet = check.sheet === undefined ? book.sheets[0] : book.sheets.find(({ name }) => name === check.sheet)
  if (sheet === undefined)
    return {
      passed: false,
      evidence: `${path} has no sheet ${JSON.stringify(check.sheet)}; its sheets: ${formatNames(names)}`,
    }
  const found = findCell(sheet, check.cell.toUpperCase())
  const place = `${path}: ${sheet.name}!${found.address}`
  if (found.kind === 'uncalculated')
    return failUnreadable(`${place} is the formula ${capText(found.text, 120)} without a saved result`)
  if (found.kind === 'empty' && check.equals !== '')
    return { passed: false, evidence: `${place} is empty; the sheets are ${formatNames(names)}` }
  const said = `${place} is ${describeCell(found)}`
  return isWanted(found, check)
    ? { passed: true, evidence: said }
    : { passed: false, evidence: `${said}, not ${describeWanted(check)}` }
}

function isWanted({ kind, text, number }: WorkbookCell, { equals, contains, tolerance }: CheckOf<'cell'>): boolean {
  const plain = text.trim().normalize('NFC')
  if (contains !== undefined) return plain.includes(contains.normalize('NFC'))
  switch (typeof equals) {
    case 'number':
      return number !== undefined && isNear(number, equals, tolerance ?? 0)
    case 'boolean':
      return kind === 'boolean' && (text === 'TRUE') === equals
    default:
      return plain === equals?.trim().normalize('NFC')
  }
}

function describeCell({ kind, text }: WorkbookCell): string {
  return kind === 'text' ? `the text ${JSON.stringify(capText(text, 200))}` : capText(text, 200)
}

function describeWanted({ equals, contains, tolerance }: CheckOf<'cell'>): string {
  if (contains !== undefined) return `a text with ${JSON.stringify(capText(contains, 120))}`
  const near = tolerance === undefined ? '' : ` ± ${tolerance}`
  return `${typeof equals === 'number' ? 'the number ' : ''}${JSON.stringify(equals)}${near}`
}
