/** Colours where a person looks at a terminal, plain text everywhere else; numbers as people read them. */
import pico from 'picocolors'

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

/** Rows as aligned columns; the first column is to the left, the others as given. */
export function columns(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(0, ...rows.map((row) => (row[column] ?? '').length)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) =>
        right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}

/** One line for a terminal: control characters shown as ·, cut to a width. */
export function oneLine(text: string, width: number): string {
  const flat = text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, '·')
  return flat.length > width ? `${flat.slice(0, Math.max(0, width - 1))}…` : flat
}

/** Text in lines of at most `width`, broken between words, later ones indented by two. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of oneLine(text, Number.POSITIVE_INFINITY).split(' ')) {
    const last = lines.at(-1)
    if (last === undefined) lines.push(word)
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`  ${word}`)
  }
  return lines
}
