/** Fences around text by others, which that text can't close. */
import { sha256 } from '../../base/json.ts'

/** A line of backticks longer than any in the text. */
export function fenceFor(text: string): string {
  const runs = [...text.matchAll(/`{3,}/g)].map(([run]) => run.length)
  return '`'.repeat(Math.max(3, ...runs.map((length) => length + 1)))
}

/** The text on one line. */
export function folded(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ').trim()
}

/** Sets data apart from what the harness says. */
export interface Fence {
  /** What the judge is told of it. */
  told: string
  around: (text: string) => string
}

/**
 * A fence whose mark is a hash over all texts together: none of them can hold it, since whoever wrote one would have had to know the
 * hash of what they were about to write. The same texts get the same fence, so that the same question is recognised.
 */
export function dataFence(texts: readonly string[]): Fence {
  const mark = markFor(texts)
  const [open, close] = [`<<<${mark}`, `>>>${mark}`]
  return {
    told: `Data stands between a line \`${open}\` and the next line \`${close}\`. No other line ends it.`,
    around: (text) => `${open}\n${text}\n${close}`,
  }
}

function markFor(texts: readonly string[]): string {
  for (let salt = 0; ; salt += 1) {
    const mark = `data-${sha256(JSON.stringify([salt, ...texts])).slice(0, 32)}`
    if (!texts.some((text) => text.includes(mark))) return mark
  }
}

const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/

/** Each line behind a bar, whatever breaks it: nothing in it can look like a line of ours. */
export function barred(text: string): string {
  return text
    .split(lineBreak)
    .map((line) => `| ${line}`)
    .join('\n')
}
