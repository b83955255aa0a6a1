/** Colours where a person looks at a terminal, plain text everywhere else; numbers as people read them. */
import pico from 'picocolors'
import stringWidth from 'string-width'
import { terminalWidth } from './terminal_size.ts'

export function colours(stream: NodeJS.WriteStream) {
  return pico.createColors(Boolean(stream.isTTY) && !process.env.NO_COLOR && process.env.TERM !== 'dumb')
}

/** 4.2 s, 1:05, 2:03:04. */
export function duration(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
  const whole = Math.round(seconds)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}

export function percent(rate: number): string {
  return `${Math.round(rate * 100)} %`
}

export function dollars(usd: number): string {
  return usd < 0.01 && usd > 0 ? '<$0.01' : `$${usd.toFixed(2)}`
}

/** Characters that take one column whatever stands beside them: what our own lines are made of. */
const plain = /^[ -~¡-¬®-ʸ‐-‧←-↓∅−≈≠≤≥█-▏░✓✗]*$/

/** Columns that a text takes. What finds where its characters end is slow to load: most texts need none. */
function widthOf(text: string): number {
  return plain.test(text) ? text.length : stringWidth(text)
}

/** Rows as aligned columns; those named in `right` are aligned to the right. */
export function columns(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(0, ...rows.map((row) => widthOf(row[column] ?? ''))),
  )
  const pad = (cell: string, column: number) => ' '.repeat((widths[column] ?? 0) - widthOf(cell))
  return rows.map((row) =>
    row
      .map((cell, column) => (right.includes(column) ? pad(cell, column) + cell : cell + pad(cell, column)))
      .join('  ')
      .trimEnd(),
  )
}

/** One line for a terminal: control and format characters shown as ·, cut to a width in columns (wide characters take two). */
export function oneLine(text: string, width: number): string {
  const flat = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, '·')
  if (widthOf(flat) <= width) return flat
  const graphemes = new Intl.Segmenter()
  let kept = ''
  let used = 1
  for (const { segment } of graphemes.segment(flat)) {
    used += widthOf(segment)
    if (used > width) break
    kept += segment
  }
  return `${kept}…`
}

/** One line for a terminal, whole. */
export function safe(text: string): string {
  return oneLine(text, Number.POSITIVE_INFINITY)
}

/** Columns that sentences may fill; without end where nobody looks on. */
export function textWidth(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number {
  return stream.isTTY ? Math.max(40, terminalWidth(stream) - 1) : Number.POSITIVE_INFINITY
}

/** Text in lines of at most `width` columns, broken between words, later ones indented by two. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of safe(text).split(' ')) {
    const last = lines.at(-1)
    if (last === undefined) lines.push(word)
    else if (widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`  ${word}`)
  }
  return lines
}
