/** Fences around text by others, which that text can't close. */

/** A line of backticks longer than any in the text. */
export function fenceFor(text: string): string {
  const runs = [...text.matchAll(/`{3,}/g)].map(([run]) => run.length)
  return '`'.repeat(Math.max(3, ...runs.map((length) => length + 1)))
}

/** The text on one line. */
export function folded(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ').trim()
}
