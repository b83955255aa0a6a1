/** Finds a quote in a text: exactly after normalisation, or approximately. */
import { findNearMatch, type QuoteSpan } from './approximate_match.ts'
import { type NormalizedText, normalize, normalText } from './normalize_text.ts'

/** A text that normalises itself once, on first use. */
export class Searchable {
  readonly text: string
  readonly from: number
  #plain: NormalizedText | null = null
  #unnumbered: NormalizedText | null = null

  /** `from`: text before that offset is not evidence. */
  constructor(text: string, from = 0) {
    this.text = text
    this.from = from
  }

  get plain(): NormalizedText {
    this.#plain ??= normalize(this.text, this.from)
    return this.#plain
  }

  /** The text without the line numbers of tools; null: it has none. */
  get unnumbered(): NormalizedText | null {
    if (this.#unnumbered !== null) return this.#unnumbered
    const blanked = this.text.replace(numbers, (number) => ' '.repeat(number.length))
    if (blanked === this.text) return null
    this.#unnumbered = normalize(blanked, this.from)
    return this.#unnumbered
  }
}

const numbers = /^[ \t]*\d+[ \t]*(?:\u2192|\t|\|)/gm
const grepNumbers = /^[ \t]*\d+[:-]/gm
const ellipsis = /\s*(?:\[(?:\.{3}|\u2026)\]|\((?:\.{3}|\u2026)\)|\.{3,}|\u2026)\s*/
/** Maximum number of characters between the parts of a quote with an ellipsis. */
const longestGap = 4000
/** Assumed maximum length of a part when places are skipped. */
const longestQuote = 10_000

/** Finds the quote, ignoring white space, case, typography, Markdown and line numbers. */
export function findExactly(quote: string, { plain, unnumbered }: SearchableTexts): QuoteSpan | null {
  const bare = quote.replaceAll(numbers, '')
  const unescaped = quote.replaceAll(/\\[nt]/g, ' ')
  for (const one of new Set([quote, unescaped, bare])) {
    const parts = splitQuote(one)
    if (parts.length === 0) continue
    const found = findParts(parts, plain) ?? (unnumbered && findParts(parts, unnumbered))
    if (found) return found
  }
  return null
}

/** Finds text that is nearly the quote (see `nearly.ts`). */
export function findFuzzily(quote: string, { plain, unnumbered }: SearchableTexts): QuoteSpan | null {
  const bare = quote.replaceAll(numbers, '').replaceAll(grepNumbers, '')
  const parts = splitQuote(bare)
  if (parts.length === 0) return null
  const literal = bare === quote ? null : findParts(parts, plain)
  if (literal !== null) return literal
  const spans = parts.map((part) => findNearMatch(part, unnumbered ?? plain))
  const whole = spans.filter((span) => span !== null)
  const [first] = whole
  return first !== undefined && whole.length === parts.length ? first : null
}

type SearchableTexts = Pick<Searchable, 'plain' | 'unnumbered'>

/** Normalised parts between the ellipses, without surrounding punctuation. */
function splitQuote(quote: string): string[] {
  return quote
    .split(ellipsis)
    .map((part) => normalText(part).replace(/^["'\s.,;:!?]+|["'\s.,;:!?]+$/g, ''))
    .filter((part) => part !== '')
}

function findParts(parts: readonly string[], normal: NormalizedText): QuoteSpan | null {
  const { text } = normal
  const [first = '', ...others] = parts
  for (let at = indexOf(text, first, 0); at >= 0; ) {
    let end = at + first.length
    let far: number | null = null
    for (const part of others) {
      const next = indexOf(text, part, end)
      if (next < 0) return null
      if (next - end > longestGap) {
        far = next
        break
      }
      end = next + part.length
    }
    if (far === null) return toQuoteSpan(normal, at, end)
    // a much earlier start cannot reach it
    at = indexOf(text, first, Math.max(at + 1, far - (longestGap + longestQuote)))
  }
  return null
}

/** Like indexOf, but a short quote or a number does not match inside a longer word or number. */
function indexOf(text: string, part: string, from: number): number {
  let at = text.indexOf(part, from)
  while (at >= 0 && !standsAlone(text, at, at + part.length)) at = text.indexOf(part, at + 1)
  return at
}

/** From this length on, a quote may begin and end inside a word. */
const longEnough = 20

function standsAlone(text: string, start: number, end: number): boolean {
  const [before, first, last, after] = [
    text.slice(start - 2, start),
    text[start],
    text[end - 1],
    text.slice(end, end + 2),
  ]
  if (isDigit(first) && (/\d$/.test(before) || /\d[.,]$/.test(before))) return false
  if (isDigit(last) && /^(?:\d|[.,]\d)/.test(after)) return false
  if (end - start >= longEnough) return true
  return !(isWord(before.at(-1)) && isWord(first)) && !(isWord(after[0]) && isWord(last))
}

function isDigit(character = ''): boolean {
  return character >= '0' && character <= '9'
}

function isWord(character = ''): boolean {
  return /[\p{L}\p{N}]/u.test(character)
}

function toQuoteSpan({ offsets }: NormalizedText, start: number, end: number): QuoteSpan {
  const last = offsets[end - 1] ?? 0
  return { start: offsets[start] ?? 0, end: last + 1 }
}
