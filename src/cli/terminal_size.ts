/** How large a terminal is; one without a size reports 0, which is not known. */

interface Reported {
  columns?: number | undefined
  rows?: number | undefined
}

/** In columns; 100 where it is not known. */
export function terminalWidth({ columns = 0 }: Reported): number {
  return columns > 0 ? columns : 100
}

/** In lines; 40 where it is not known. */
export function terminalHeight({ rows = 0 }: Reported): number {
  return rows > 0 ? rows : 40
}
