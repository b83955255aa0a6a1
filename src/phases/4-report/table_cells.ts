/** The cells of a row of an index or a trend as their pages draw them: on a phone each is a line with the name of its column. */
export interface Cell {
  column: string
  value: string
  /** Nothing is known there: a phone leaves the line out. */
  isNone: boolean
}

export function cellsOf(header: readonly string[], row: readonly string[]): Cell[] {
  return row.map((value, at) => ({ column: header[at] ?? '', value, isNone: value === '' || value === '–' }))
}
