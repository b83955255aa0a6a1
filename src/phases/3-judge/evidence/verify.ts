/** Looks up a judge's evidence in what it judged: is the quote there, and where. */
import type { EvidencePlace } from '../../../../schemas/evidence.ts'
import { findExactly, findFuzzily, type Searchable, type Span } from './find.ts'
import { normalText } from './normal.ts'
import { quotesOf, type Reading } from './quotes.ts'

/** A text file of the run, read and normalised when it is first needed. */
export interface EvidenceFile {
  /** Relative to the run's folder. */
  path: string
  /** null: no text, or not to be read. */
  load: () => Searchable | null
}

export interface EvidenceCheck {
  verified: 'exact' | 'fuzzy' | 'absent' | 'not_a_quote'
  /** The first quote that was found. */
  at: EvidencePlace | null
  /** The quotes that stand nowhere. */
  missing: string[]
  /** Where something is missing: the files that the evidence names and that are no text, so that nothing was looked up there. */
  unread?: string[]
}

/**
 * Looks up all quotes of one verdict's evidence. `given`: what the judge was told (expectation, task): a quote of that is
 * no evidence, and is left out.
 */
export function verifyEvidence(
  evidence: string,
  files: readonly EvidenceFile[],
  given: readonly string[],
): EvidenceCheck {
  const { readings, bare } = quotesOf(evidence)
  const ordered = [...files].sort((a, b) => mentions(evidence, b.path) - mentions(evidence, a.path))
  const told = given.map(normalText)
  let best: EvidenceCheck = { verified: 'not_a_quote', at: null, missing: [] }
  for (const reading of readings) {
    const check = lookUp(reading, ordered, told)
    if (best.verified !== 'exact' && rank[check.verified] >= rank[best.verified]) best = check
  }
  if (best.verified === 'absent') return { ...best, unread: unreadOf(evidence, files) }
  if (best.verified !== 'not_a_quote') return best
  return bare.map((text) => bareQuote(text, ordered)).find((check) => check !== null) ?? best
}

const rank = { exact: 3, fuzzy: 2, absent: 1, not_a_quote: 0 }

/** Characters of evidence without any marks that count as a quote. */
const shortestBare = 12

function bareQuote(text: string, files: readonly EvidenceFile[]): EvidenceCheck | null {
  if (normalText(text).length < shortestBare) return null
  const place = search(text, files, findExactly)
  return place && { verified: 'exact', at: place, missing: [] }
}

function lookUp(quotes: Reading, files: readonly EvidenceFile[], told: readonly string[]): EvidenceCheck {
  const check: EvidenceCheck = { verified: 'not_a_quote', at: null, missing: [] }
  for (const quote of quotes) {
    const exact = search(quote, files, findExactly)
    const place = exact ?? search(quote, files, findFuzzily)
    if (place === null && told.some((text) => text.includes(normalText(quote)))) continue
    if (place === null) check.missing.push(quote)
    check.at ??= place
    const found = exact === null ? 'fuzzy' : 'exact'
    if (check.verified !== 'fuzzy') check.verified = found
  }
  return check.missing.length > 0 ? { ...check, verified: 'absent' } : check
}

function search(
  quote: string,
  files: readonly EvidenceFile[],
  find: (quote: string, text: Searchable) => Span | null,
): EvidencePlace | null {
  for (const file of files) {
    const text = file.load()
    const span = text && find(quote, text)
    if (text && span) return { file: file.path, line: lineOf(text.text, span.start), ...span }
  }
  return null
}

function unreadOf(evidence: string, files: readonly EvidenceFile[]): string[] {
  return files.filter((file) => mentions(evidence, file.path) > 0 && file.load() === null).map((file) => file.path)
}

function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

function mentions(evidence: string, file: string): number {
  return evidence.includes(file) ? 2 : evidence.includes(file.slice(file.lastIndexOf('/') + 1)) ? 1 : 0
}
