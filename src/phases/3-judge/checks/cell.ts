/** cell: one cell of a delivered workbook has a value. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { readWorkbookOnce } from '../documents/document_reads.ts'
import { findCell, type WorkbookCell } from '../documents/workbook.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'
import { capText, decideUnreadable, failUnreadable, formatNames } from './inputs/evidence.ts'
import { locateOutput } from './inputs/locate_output.ts'
import { isNear } from './inputs/number.ts'

/** A formula counts by the result that was saved with it; without one there is no value, because nothing is calculated. */
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

/** A number in a cell formatted as text is not a number. */
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
