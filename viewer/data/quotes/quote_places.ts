/** Finds a place for each quote in a judge's evidence: the verified one from grading, else one that reads the same. */
import type { EvidencePlace } from '../../../schemas/evidence.ts'
import type { PageEvent, RunDetail } from '../../../schemas/page.ts'
import type { Run } from '../model.ts'
import { findDeniedQuotes } from './missing_quotes.ts'
import {
  asText,
  type CharacterSpan,
  type EvidencePart,
  locateQuote,
  type Quotable,
  type QuotePlace,
  splitEvidence,
} from './quotes.ts'

/** What a judge wrote, and how it was verified. */
export interface Proof {
  evidence: string
  evidence_verified?: string | undefined
  evidence_at?: EvidencePlace | undefined
}

/** A run's detail with the input files of its case. */
export function toQuotable(run: Run, detail: RunDetail | null | undefined): Quotable | null {
  return detail ? { ...detail, inputs: run.case.files } : null
}

/** `place` null: it is not a quote, it is not found, or the evidence calls it missing. */
export interface ProvedPart extends EvidencePart {
  place: QuotePlace | null
}

export function findProvedParts(proof: Proof, detail: Quotable | null): ProvedPart[] {
  const parts = splitEvidence(proof.evidence)
  if (detail === null) return parts.map((part) => ({ ...part, place: null }))
  const known = knownPlace(proof, detail)
  const denied = findDeniedQuotes(parts)
  const placed = parts.map((part, at) => ({
    ...part,
    place: part.quote === null || denied.has(at) ? null : locateQuote(part.quote, detail),
  }))
  if (known === null) return placed
  const quotes = placed.filter(({ quote }, at) => quote !== null && !denied.has(at))
  // evidence without quotation marks is a quote as a whole
  if (quotes.length === 0 && denied.size === 0)
    return [{ text: proof.evidence, quote: proof.evidence, place: known.place }]
  const same = quotes.find(({ quote }) => isSame(quote ?? '', known.text))
  const nearly = proof.evidence_verified === 'fuzzy' ? quotes.find(({ place }) => place === null) : undefined
  const proved = same ?? nearly
  return placed.map((part) => (part === proved ? { ...part, place: known.place } : part))
}

/** The parameters of a run's address for a place. */
export function placeQuery(place: QuotePlace, quote: string): Record<string, string | undefined> {
  const { tab, span } = place
  return {
    tab,
    file: tab === 'transcript' ? undefined : place.file,
    event: tab === 'transcript' && place.event !== null ? `${place.event}` : undefined,
    at: span === null ? undefined : `${span.start}-${span.end}`,
    mark: quote,
  }
}

/** The span in an address; null: none. */
export function parseSpan(at: string | undefined): CharacterSpan | null {
  const [, start, end] = /^(\d+)-(\d+)$/.exec(at ?? '') ?? []
  return start === undefined || end === undefined || Number(end) <= Number(start)
    ? null
    : { start: Number(start), end: Number(end) }
}

interface KnownPlace {
  place: QuotePlace
  /** The text at this place. */
  text: string
}

/** null: the page does not show the file, or not as it was when it was verified. */
function knownPlace({ evidence_at: at }: Proof, detail: Quotable): KnownPlace | null {
  if (at === undefined) return null
  const { start, end } = at
  if (at.file === 'transcript.md') return findInTranscript(at, detail)
  const tab = at.file.startsWith('inputs/') ? 'inputs' : 'outputs'
  const shown = detail[tab].find(({ path, as }) => `${tab}/${path}` === at.file && as === 'text')
  if (shown === undefined || !isThere(shown.body, at)) return null
  return { place: { tab, file: shown.path, span: { start, end } }, text: shown.body.slice(start, end) }
}

function findInTranscript(at: EvidencePlace, { events, spots = {}, transcript }: Quotable): KnownPlace | null {
  const { start, end } = at
  if (events === null) {
    const place: QuotePlace = { tab: 'transcript', event: null, span: { start, end } }
    return transcript !== null && isThere(transcript, at) ? { place, text: transcript.slice(start, end) } : null
  }
  const spot = Object.hasOwn(spots, start) ? spots[start] : undefined
  const event = spot === undefined ? undefined : events[spot.event]
  if (spot === undefined || event === undefined) return null
  const { span } = spot
  const text = span === null ? eventContent(event) : eventContent(event).slice(span.start, span.end)
  return { place: { tab: 'transcript', event: spot.event, span }, text }
}

/** The text that the spans of an event refer to. */
function eventContent({ text, output, message, input }: PageEvent): string {
  return asText(text ?? output ?? message ?? input ?? '')
}

/** A removed secret or a cut moves the text after it, which the line number shows. */
function isThere(text: string, { line, end, start }: EvidencePlace): boolean {
  return end <= text.length && text.slice(0, start).split('\n').length === line
}

const ellipsis = /\[(?:\.{3}|…)\]|\((?:\.{3}|…)\)|\.{3,}|…/

/** Ignores white space, case, typography and Markdown marks. */
function isSame(quote: string, text: string): boolean {
  const whole = plain(text)
  const parts = quote
    .split(ellipsis)
    .map(plain)
    .filter((part) => part !== '')
  return parts.length > 0 && parts.every((part) => whole.includes(part))
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}|\p{Cf}|[*_`#>|\\]/gu, '')
    .replaceAll(/[\u2018\u2019\u201a]/g, "'")
    .replaceAll(/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"')
    .replaceAll(/[\u2010-\u2014\u2212]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase()
    .replaceAll(/^["'\s.,;:!?]+|["'\s.,;:!?]+$/g, '')
}
