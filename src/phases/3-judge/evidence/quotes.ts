/** The quotes in a judge's evidence: what stands between quotation marks, in a block, or behind `file:line:`. */

/** One way to read the evidence, as quotes; a quote between nested marks can be read in more than one. */
export type Reading = readonly string[]

export interface Evidence {
  /** Each of them tells what is quoted; empty: nothing is marked as a quote. */
  readings: Reading[]
  /** The text itself, which may be a quote without marks; the second time without the place before it. */
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

/** Reads evidence. */
export function quotesOf(evidence: string): Evidence {
  const found = worthwhile(within(evidence, [...pairs, block]))
  const marked = found.length > 0 ? found : worthwhile(within(evidence, [code]))
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

/** In the order of the text; what stands inside of something found is not looked at again. */
function within(text: string, patterns: readonly RegExp[]): string[] {
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

/** Names of files say where a quote stands; a letter is none. */
function worthwhile(quotes: readonly string[]): string[] {
  return quotes.filter((quote) => !isPath.test(quote.trim()) && (quote.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 2)
}
