/** Formats text and numbers for people: coloured on a terminal, plain elsewhere. */
import pico from 'picocolors'
import stringWidth from 'string-width'

export function colours(stream: NodeJS.WriteStream) {
  return pico.createColors(Boolean(stream.isTTY) && !process.env.NO_COLOR && process.env.TERM !== 'dumb')
}

/** 4.2 s, 1:05, 2:03:04. */
export function durationText(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
  const whole = Math.round(seconds)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}

export function percentText(rate: number): string {
  return `${Math.round(rate * 100)}%`
}

export function dollarsText(usd: number | null): string {
  if (usd === null) return 'unknown cost'
  return usd < 0.01 && usd > 0 ? '<$0.01' : `$${usd.toFixed(2)}`
}

/** Rows as aligned columns; the columns in `right` are right-aligned. */
export function alignColumns(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(0, ...rows.map((row) => stringWidth(row[column] ?? ''))),
  )
  const pad = (cell: string, column: number) => ' '.repeat((widths[column] ?? 0) - stringWidth(cell))
  return rows.map((row) =>
    row
      .map((cell, column) => (right.includes(column) ? pad(cell, column) + cell : cell + pad(cell, column)))
      .join('  ')
      .trimEnd(),
  )
}

/** As `alignColumns`; where a line would be wider than `width`, the cells after the first are below it, each with its name of `header`. */
export function fitColumns(
  rows: readonly (readonly string[])[],
  { width, header = [], right = [] }: { width: number; header?: readonly string[]; right?: readonly number[] },
): string[] {
  const lines = alignColumns(header.length > 0 ? [header, ...rows] : rows, right)
  if (lines.every((line) => stringWidth(line) <= width)) return lines
  return rows.flatMap(([first = '', ...cells]) => [
    first,
    ...cells.flatMap((cell, at) => (cell === '' ? [] : [`    ${[header[at + 1], cell].filter(Boolean).join(' ')}`])),
  ])
}

/** One line for a terminal: control and format characters shown as ·, truncated to a width in columns (wide characters take two). */
export function oneLine(text: string, width: number): string {
  const flat = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, '·')
  if (stringWidth(flat) <= width) return flat
  const graphemes = new Intl.Segmenter()
  let kept = ''
  let used = 1
  for (const { segment } of graphemes.segment(flat)) {
    used += stringWidth(segment)
    if (used > width) break
    kept += segment
  }
  return `${kept}…`
}

/** Lines of at most 500 columns each. */
export function shortLines(lines: readonly string[]): string {
  return lines.map((line) => oneLine(line, 500)).join('\n')
}

/** One line for a terminal, not truncated. */
export function toSafeLine(text: string): string {
  return oneLine(text, Number.POSITIVE_INFINITY)
}

/** Columns available for sentences; infinite without a terminal. */
export function textWidth(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number {
  return stream.isTTY ? Math.max(40, terminalWidth(stream) - 1) : Number.POSITIVE_INFINITY
}

/** Text in lines of at most `width` columns, broken between words; later lines are indented by two. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of toSafeLine(text).split(' ')) {
    const last = lines.at(-1)
    if (last === undefined) lines.push(word)
    else if (stringWidth(last) + 1 + stringWidth(word) <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`  ${word}`)
  }
  return lines
}

/** 0: not known. */
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
