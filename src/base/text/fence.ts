/** Builds fences around third-party text that the text cannot close. */
import { sha256 } from '../json/json.ts'

/** A line of backticks longer than any run in the text. */
export function buildCodeFence(text: string): string {
  const runs = [...text.matchAll(/`{3,}/g)].map(([run]) => run.length)
  return '`'.repeat(Math.max(3, ...runs.map((length) => length + 1)))
}

export function foldLines(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ').trim()
}

/** Separates data from Whetstone's own words. */
export interface DataFence {
  /** The explanation of the fence for the judge. */
  told: string
  around: (text: string) => string
}

/**
 * A fence whose mark is a hash over all texts: no author can put the hash of a text into that text. The same texts get
 * the same fence, so that the same question is recognised.
 */
export function createDataFence(texts: readonly string[]): DataFence {
  const mark = deriveFenceMark(texts)
  const [open, close] = [`<<<${mark}`, `>>>${mark}`]
  return {
    told: `Data stands between a line \`${open}\` and the next line \`${close}\`. No other line ends it.`,
    around: (text) => `${open}\n${text}\n${close}`,
  }
}

function deriveFenceMark(texts: readonly string[]): string {
  for (let salt = 0; ; salt += 1) {
    const mark = `data-${sha256(JSON.stringify([salt, ...texts])).slice(0, 32)}`
    if (!texts.some((text) => text.includes(mark))) return mark
  }
}

const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/

/** Puts each line behind a bar, whatever breaks it, so that it cannot look like one of Whetstone's lines. */
export function barLines(text: string): string {
  return text
    .split(lineBreak)
    .map((line) => `| ${line}`)
    .join('\n')
}
