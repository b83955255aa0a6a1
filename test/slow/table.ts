/** Prints a table of a simulation as Markdown, as docs/explanation/statistics.md shows it. */

export function printTable(
  title: string,
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  const rule = header.map((_, at) => (at === 0 ? '---' : '---:'))
  console.log(`\n${title}\n\n${[line(header), line(rule), ...rows.map(line)].join('\n')}\n`)
}

/** ".953". */
export function share(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(3).replace(/^0/, '')
}

/** Twice the standard error of a share seen in so many trials. */
export function twoErrors(rate: number, trials: number): number {
  return 2 * Math.sqrt((rate * (1 - rate)) / Math.max(1, trials))
}
