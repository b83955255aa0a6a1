/** Searches approximately: at least 85 % of a quote's characters agree, and all its numbers and negations. */
import type { NormalizedText } from './normalize_text.ts'

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
export function findNearMatch(quote: string, normal: NormalizedText): QuoteSpan | null {
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
  if (best === null) return null
  const { offsets } = normal
  return { start: offsets[best.start] ?? 0, end: (offsets[best.end - 1] ?? 0) + 1 }
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
