/** Table cells of an index or a trend page: on a phone each is a line with its column name. */
export interface TableCell {
  column: string
  value: string
  /** The value is not known: a phone omits the line. */
  isNone: boolean
}

export function toTableCells(header: readonly string[], row: readonly string[]): TableCell[] {
  return row.map((value, at) => ({ column: header[at] ?? '', value, isNone: value === '' || value === '–' }))
}
