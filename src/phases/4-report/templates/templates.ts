/** The report templates: read from this folder and filled in strict mode (a missing name throws). */
import { readFileSync } from 'node:fs'
import handlebars from 'handlebars'

/** The text of a file in this folder. */
export function readAsset(name: string): string {
  return readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')
}

/** `format` html: the template escapes every value. text: the view escapes its values itself. */
export function compileTemplate<View>(name: string, format: 'html' | 'text'): (view: View) => string {
  const filled = handlebars.compile<View>(readAsset(name), { strict: true, noEscape: format === 'text' })
  return (view) => filled(view)
}

export interface TableCell {
  column: string
  value: string
  /** The value is not known: a phone omits the line. */
  isNone: boolean
}

export function toTableCells(header: readonly string[], row: readonly string[]): TableCell[] {
  return row.map((value, at) => ({ column: header[at] ?? '', value, isNone: value === '' || value === '–' }))
}
