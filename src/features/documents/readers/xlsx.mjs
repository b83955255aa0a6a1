// Reads a workbook with exceljs: its cells as values, formulas by the result that was saved with them. Runs no macro and calculates nothing.
import ExcelJS from 'exceljs'
import { readXmlTexts } from './xml_text.mjs'
import { openZip } from './zip.mjs'

/** Parts that no check reads; some of them make exceljs create a cell for each place of a range. */
const ignoreNodes = [
  'dataValidations',
  'conditionalFormatting',
  'mergeCells',
  'drawing',
  'picture',
  'tableParts',
  'extLst',
]

/** Text outside cells. */
const otherParts = /^xl\/(?:drawings\/drawing|charts\/chart|comments|threadedComments\/)[^/]*\.xml$/

export async function readDocument(bytes) {
  const zip = await openZip(bytes, 'xl/workbook.xml')
  const book = new ExcelJS.Workbook()
  await book.xlsx.load(bytes, { ignoreNodes })
  const sheets = book.worksheets.map((sheet) => ({ name: sheet.name, rows: listCells(sheet) }))
  const parts = sheets.map(({ name, rows }) => [`# Sheet: ${name}`, ...rows.map(writeRow)].join('\n'))
  const others = await readXmlTexts(zip, otherParts)
  return { text: [...parts, ...others.map(({ name, text }) => `# ${name}\n${text}`)].join('\n\n'), sheets }
}

/** The texts of a row from its first column on, separated by tabs. */
function writeRow(cells) {
  const texts = []
  for (const { column, text } of cells) texts[column - 1] = text
  return Array.from(texts, (text) => text ?? '').join('\t')
}

/** The rows that have cells, each as a list of these. */
function listCells(sheet) {
  const rows = []
  sheet.eachRow((row) => {
    const cells = []
    row.eachCell((cell, column) => {
      cells.push({ address: cell.address, column, ...describe(cell.value) })
    })
    rows.push(cells)
  })
  return rows
}

/** `kind` says what the value is; `text` is the value as text. */
function describe(value) {
  const text = toText(value)
  if (text === '') return { kind: 'empty', text }
  const plain = isFormula(value) ? value.result : value
  if (plain === undefined || plain === null) return { kind: 'uncalculated', text }
  if (typeof plain === 'number') return { kind: 'number', text, number: plain }
  if (typeof plain === 'boolean') return { kind: 'boolean', text }
  return { kind: plain instanceof Date ? 'date' : 'text', text }
}

function isFormula(value) {
  return typeof value === 'object' && value !== null && ('formula' in value || 'sharedFormula' in value)
}

/** Dates as ISO: 2026-01-15, or 2026-01-15T10:30:00. A formula without a saved result is shown as the formula. */
function toText(value) {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return isoDate(value)
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (typeof value !== 'object') return String(value)
  if (isFormula(value)) {
    const saved = value.result
    return saved === undefined || saved === null ? `=${value.formula ?? value.sharedFormula}` : toText(saved)
  }
  if ('richText' in value) return value.richText.map(({ text }) => text).join('')
  if ('error' in value) return String(value.error)
  return 'text' in value ? toText(value.text) : ''
}

function isoDate(date) {
  if (Number.isNaN(date.getTime())) return ''
  const [day, time] = date.toISOString().slice(0, 19).split('T')
  return time === '00:00:00' ? day : `${day}T${time}`
}
