/** Reads a terminal's size; a reported 0 means not known. */

interface ReportedSize {
  columns?: number | undefined
  rows?: number | undefined
}

/** In columns; 100 if not known. */
export function terminalWidth({ columns = 0 }: ReportedSize): number {
  return columns > 0 ? columns : 100
}

/** In lines; 40 if not known. */
export function terminalHeight({ rows = 0 }: ReportedSize): number {
  return rows > 0 ? rows : 40
}
