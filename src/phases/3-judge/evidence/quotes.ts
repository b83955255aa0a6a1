/** Extracts the quotes in a judge's evidence: between quotation marks, in a block, or after `file:line:`. */

/** One interpretation of the evidence as quotes; nested marks allow several. */
export type QuoteReading = readonly string[]

export interface QuotedEvidence {
  /** Possible interpretations; empty: nothing is marked as a quote. */
  readings: QuoteReading[]
  /** The text itself as a quote without marks, preceded by a version without its place, if any. */
  bare: string[]
}

const pairs = [
  /```[^\n]*\n([\s\S]*?)```/g,
  /\u201c([^\u201c\u201d]{2,})\u201d/g,
  /\u201e([^\u201c\u201d\u201e]{2,})[\u201c\u201d]/g,
  /\u00ab([^\u00ab\u00bb]{2,})\u00bb/g,
  /(?<![\p{L}\p{N}])"((?:\\.|[^"\\]){2,})"/gu,
  /(?<![\p{L}\p{N}])['\u2018]((?:[^'\u2018\u2019\n]|(?<=\p{L})['\u2019](?=\p{L})){2,})['\u2019](?![\p{L}\p{N}])/gu,
]

const block = /^[ \t]*>[ \t]?(.*(?:\n[ \t]*>.*)*)/gm
const code = /`([^`\n]{2,})`/g
const place = /^\s*[\w./ -]{1,200}\.\w{1,8}:\s*(?:(?:line\s+)?(\d+)\s*[:,]\s*)?/i
const isPath = /^(?:[\w.@-]+\/[\w./@-]*|[\w.@-]+\.[a-z]\w{0,4})$/i

/** Extracts the quotes of evidence. */
export function readQuotes(evidence: string): QuotedEvidence {
  const found = worthwhile(matchPatterns(evidence, [...pairs, block]))
  const marked = found.length > 0 ? found : worthwhile(matchPatterns(evidence, [code]))
  const outer = /"([\s\S]{2,})"/.exec(evidence)?.[1]
  const nested = outer !== undefined && /["\u201c]/.test(outer) ? [[outer]] : []
  const behind = place.exec(evidence)
  const rest = behind === null ? null : evidence.slice(behind[0].length)
  const isLine = rest !== null && behind?.[1] !== undefined && marked.length === 0
  return {
    readings: isLine ? [[rest]] : marked.length > 0 ? [...nested, marked] : [],
    bare: rest === null ? [evidence] : [rest, evidence],
  }
}

/** In text order; the inside of a match is not searched again. */
function matchPatterns(text: string, patterns: readonly RegExp[]): string[] {
  const found: { at: number; quote: string }[] = []
  let rest = text
  for (const pattern of patterns) {
    rest = rest.replace(pattern, (whole: string, quote: string, ...more: unknown[]) => {
      const at = more.find((one) => typeof one === 'number') ?? 0
      found.push({ at, quote })
      return '\u0000'.repeat(whole.length)
    })
  }
  return found.sort((a, b) => a.at - b.at).map(({ quote }) => quote)
}

/** Drops file names, which tell the place of a quote, and single letters. */
function worthwhile(quotes: readonly string[]): string[] {
  return quotes.filter((quote) => !isPath.test(quote.trim()) && (quote.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 2)
}
