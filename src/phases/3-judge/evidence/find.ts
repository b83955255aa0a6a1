/** Finds a quote in a text: literally after normalising, else nearly. */
import { findNearly } from './nearly.ts'
import { type Normal, normalize, normalText } from './normal.ts'

/** Offsets in the original text. */
export interface Span {
  start: number
  end: number
}

/** A text that is searched often: normalised once, when it is first needed. */
export class Searchable {
  readonly text: string
  readonly from: number
  #plain: Normal | null = null
  #unnumbered: Normal | null = null

  /** `from`: what stands before that offset is no evidence. */
  constructor(text: string, from = 0) {
    this.text = text
    this.from = from
  }

  get plain(): Normal {
    this.#plain ??= normalize(this.text, this.from)
    return this.#plain
  }

  /** Without the line numbers that tools put before lines; null: it has none. */
  get unnumbered(): Normal | null {
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
/** Characters between the parts of a quote with an ellipsis at most. */
const longestGap = 4000
/** Characters of a part that are reckoned with when places are skipped. */
const longestQuote = 10_000

/** Where the quote stands, white space, case, typography, Markdown and line numbers aside. */
export function findExactly(quote: string, { plain, unnumbered }: SearchableTexts): Span | null {
  const bare = quote.replaceAll(numbers, '')
  const unescaped = quote.replaceAll(/\\[nt]/g, ' ')
  for (const one of new Set([quote, unescaped, bare])) {
    const parts = partsOf(one)
    if (parts.length === 0) continue
    const found = findParts(parts, plain) ?? (unnumbered && findParts(parts, unnumbered))
    if (found) return found
  }
  return null
}

/** Where something stands that is nearly the quote (see `nearly.ts`). */
export function findFuzzily(quote: string, { plain, unnumbered }: SearchableTexts): Span | null {
  const bare = quote.replaceAll(numbers, '').replaceAll(grepNumbers, '')
  const parts = partsOf(bare)
  if (parts.length === 0) return null
  const literal = bare === quote ? null : findParts(parts, plain)
  if (literal !== null) return literal
  const spans = parts.map((part) => findNearly(part, unnumbered ?? plain))
  const whole = spans.filter((span) => span !== null)
  const [first] = whole
  return first !== undefined && whole.length === parts.length ? first : null
}

type SearchableTexts = Pick<Searchable, 'plain' | 'unnumbered'>

/** What stands between the ellipses, normalised, without the punctuation of the sentence around it. */
function partsOf(quote: string): string[] {
  return quote
    .split(ellipsis)
    .map((part) => normalText(part).replace(/^["'\s.,;:!?]+|["'\s.,;:!?]+$/g, ''))
    .filter((part) => part !== '')
}

function findParts(parts: readonly string[], normal: Normal): Span | null {
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
    if (far === null) return spanOf(normal, at, end)
    // nothing that begins much earlier can reach it
    at = indexOf(text, first, Math.max(at + 1, far - (longestGap + longestQuote)))
  }
  return null
}

/** Like indexOf, but a short quote or a number is no part of a longer word or number. */
function indexOf(text: string, part: string, from: number): number {
  let at = text.indexOf(part, from)
  while (at >= 0 && !standsAlone(text, at, at + part.length)) at = text.indexOf(part, at + 1)
  return at
}

/** From this length on a quote may begin and end inside a word. */
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

function spanOf({ offsets }: Normal, start: number, end: number): Span {
  const last = offsets[end - 1] ?? 0
  return { start: offsets[start] ?? 0, end: last + 1 }
}
