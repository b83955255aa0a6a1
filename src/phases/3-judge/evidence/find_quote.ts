/** Finds a quote in a text: exactly after normalisation, or approximately, with all its numbers and negations. */
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

/** Share of a quote's characters that must agree: 1 - edit distance ÷ its length. */
const fuzzyThreshold = 0.85

/** Shorter quotes are only searched exactly; longer ones are compared up to `longest` characters. */
const shortest = 16
const longest = 2000
/** A place is examined if one of this many pieces of the quote occurs there. */
const pieceCount = 8
const shortestPiece = 4
/** Maximum numbers of hits per piece and of compared places. */
const mostHits = 2000
const mostPlaces = 24

/** The best place; null: none is near enough. */
function findNearMatch(quote: string, normal: NormalizedText): QuoteSpan | null {
  const wanted = quote.slice(0, longest)
  if (wanted.length < shortest) return null
  const allowed = Math.floor(wanted.length * (1 - fuzzyThreshold))
  let best: { start: number; end: number; distance: number } | null = null
  for (const place of findCandidatePlaces(wanted, normal.text, allowed)) {
    const from = Math.max(0, place - allowed)
    const window = normal.text.slice(from, place + wanted.length + allowed)
    const found = findBestMatch(wanted, window, best === null ? allowed : best.distance - 1)
    if (found === null || !saysTheSame(wanted, window.slice(found.start, found.end))) continue
    best = { start: from + found.start, end: from + found.end, distance: found.distance }
    if (found.distance === 0) break
  }
  return best === null ? null : toQuoteSpan(normal, best.start, best.end)
}

/** Possible starts of the quote, the likeliest first: its pieces vote. */
function findCandidatePlaces(wanted: string, text: string, allowed: number): number[] {
  const size = Math.max(shortestPiece, Math.floor(wanted.length / pieceCount))
  const width = Math.max(1, allowed * 2)
  const votes = new Map<number, { count: number; start: number }>()
  for (let offset = 0; offset + size <= wanted.length; offset += size) {
    const piece = wanted.slice(offset, offset + size)
    let hits = 0
    for (let at = text.indexOf(piece); at >= 0 && hits < mostHits; at = text.indexOf(piece, at + 1)) {
      hits += 1
      const start = Math.max(0, at - offset)
      const vote = votes.get(Math.floor(start / width))
      if (vote === undefined) votes.set(Math.floor(start / width), { count: 1, start })
      else vote.count += 1
    }
  }
  const likely = [...votes.values()].sort((a, b) => b.count - a.count || a.start - b.start)
  return likely.slice(0, mostPlaces).map(({ start }) => start)
}

/** The part of the window that is nearest to the text (Sellers' algorithm); null: none within `allowed` edits. */
function findBestMatch(
  wanted: string,
  window: string,
  allowed: number,
): { start: number; end: number; distance: number } | null {
  const rows = wanted.length + 1
  let before = Uint16Array.from({ length: rows }, (_, row) => row)
  let now = new Uint16Array(rows)
  let startsBefore = new Uint32Array(rows)
  let starts = new Uint32Array(rows)
  let best: { start: number; end: number; distance: number } | null = null
  for (let column = 1; column <= window.length; column += 1) {
    now[0] = 0
    starts[0] = column
    const unit = window.charCodeAt(column - 1)
    for (let row = 1; row < rows; row += 1) {
      const replaced = (before[row - 1] ?? 0) + (wanted.charCodeAt(row - 1) === unit ? 0 : 1)
      const added = (before[row] ?? 0) + 1
      const left = (now[row - 1] ?? 0) + 1
      const least = Math.min(replaced, added, left)
      now[row] = least
      starts[row] =
        (least === replaced ? startsBefore[row - 1] : least === added ? startsBefore[row] : starts[row - 1]) ?? 0
    }
    const distance = now[rows - 1] ?? 0
    if (distance <= allowed && (best === null || distance < best.distance)) {
      best = { start: starts[rows - 1] ?? 0, end: column, distance }
    }
    ;[before, now] = [now, before]
    ;[startsBefore, starts] = [starts, startsBefore]
  }
  return best
}

const negations = /\b(?:not|no|never|none|cannot|without)\b|n't\b/g

/** A number or a "not" changes the meaning, however few characters it has. */
function saysTheSame(one: string, other: string): boolean {
  return [/\d+(?:[.,]\d+)*/g, negations].every(
    (pattern) => (one.match(pattern) ?? []).join(' ') === (other.match(pattern) ?? []).join(' '),
  )
}

/** Offsets in the original text. */
export interface QuoteSpan {
  start: number
  end: number
}
