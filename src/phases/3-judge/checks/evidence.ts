/** Evidence of checks: the line that decided, with its place, or what was there instead; short and printable. */

const longest = 300

/** The text in one printable piece of at most `longest` characters. */
export function capped(text: string, limit = longest): string {
  return text.length > limit ? `${printable(text.slice(0, limit))}…` : printable(text)
}

/** The end of the text, at most `longest` characters. */
export function cappedEnd(text: string): string {
  return text.length > longest ? `…${printable(text.slice(-longest))}` : printable(text)
}

/** `label:line: the line` for the place at `index`; of a long line only what surrounds it. */
export function quoteAt(label: string, text: string, index: number): string {
  const start = index === 0 ? 0 : text.lastIndexOf('\n', index - 1) + 1
  const end = text.indexOf('\n', index)
  const line = text.slice(start, end < 0 ? text.length : end)
  const number = text.slice(0, start).split('\n').length
  const from = line.length <= longest ? 0 : Math.max(0, index - start - 100)
  const part = `${from > 0 ? '…' : ''}${line.slice(from)}`
  return `${label}:${number}: ${capped(part.trimEnd())}`
}

/** A list of names for a person: at most ten, then how many more. */
export function named(names: readonly string[]): string {
  if (names.length === 0) return 'nothing'
  const shown = names.slice(0, 10).map((name) => capped(name, 100))
  return names.length > 10 ? `${shown.join(', ')} and ${names.length - 10} more` : shown.join(', ')
}

/** Control characters, halves of pairs and what reorders text become a visible mark. */
function printable(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu, (found) => (/[\n\t]/.test(found) ? found : '\uFFFD'))
}
