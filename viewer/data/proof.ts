/** A judge's evidence with a place for each quote: where it was looked up when the run was graded, else where it reads the same. */
import type { EvidencePlace } from '../../schemas/evidence.ts'
import type { PageEvent, RunDetail } from '../../schemas/page.ts'
import { deniedIn } from './denied.ts'
import type { Run } from './model.ts'
import { asText, locate, type Part, type Place, partsOf, type Quotable, type Span } from './quotes.ts'

/** What a judge wrote, and what was found of it. */
export interface Proof {
  evidence: string
  evidence_verified?: string | undefined
  evidence_at?: EvidencePlace | undefined
}

/** A run's detail with what its case gave it. */
export function quotableOf(run: Run, detail: RunDetail | null | undefined): Quotable | null {
  return detail ? { ...detail, inputs: run.case.files } : null
}

/** `place`: null: no quote, it stands nowhere, or the evidence says that it does. */
export interface ProvedPart extends Part {
  place: Place | null
}

export function provedParts(proof: Proof, detail: Quotable | null): ProvedPart[] {
  const parts = partsOf(proof.evidence)
  if (detail === null) return parts.map((part) => ({ ...part, place: null }))
  const known = knownPlace(proof, detail)
  const denied = deniedIn(parts)
  const placed = parts.map((part, at) => ({
    ...part,
    place: part.quote === null || denied.has(at) ? null : locate(part.quote, detail),
  }))
  if (known === null) return placed
  const quotes = placed.filter(({ quote }, at) => quote !== null && !denied.has(at))
  // evidence without any marks is a quote as a whole
  if (quotes.length === 0 && denied.size === 0)
    return [{ text: proof.evidence, quote: proof.evidence, place: known.place }]
  const same = quotes.find(({ quote }) => isSame(quote ?? '', known.text))
  const nearly = proof.evidence_verified === 'fuzzy' ? quotes.find(({ place }) => place === null) : undefined
  const proved = same ?? nearly
  return placed.map((part) => (part === proved ? { ...part, place: known.place } : part))
}

/** What the address of a run says of a place. */
export function queryOf(place: Place, quote: string): Record<string, string | undefined> {
  const { tab, span } = place
  return {
    tab,
    file: tab === 'transcript' ? undefined : place.file,
    event: tab === 'transcript' && place.event !== null ? `${place.event}` : undefined,
    at: span === null ? undefined : `${span.start}-${span.end}`,
    mark: quote,
  }
}

/** The span that an address names; null: none. */
export function spanOf(at: string | undefined): Span | null {
  const [, start, end] = /^(\d+)-(\d+)$/.exec(at ?? '') ?? []
  return start === undefined || end === undefined || Number(end) <= Number(start)
    ? null
    : { start: Number(start), end: Number(end) }
}

interface Known {
  place: Place
  /** What stands there. */
  text: string
}

/** null: the page does not show the file, or not as it was looked up in. */
function knownPlace({ evidence_at: at }: Proof, detail: Quotable): Known | null {
  if (at === undefined) return null
  const { start, end } = at
  if (at.file === 'transcript.md') return inTranscript(at, detail)
  const tab = at.file.startsWith('inputs/') ? 'inputs' : 'outputs'
  const shown = detail[tab].find(({ path, as }) => `${tab}/${path}` === at.file && as === 'text')
  if (shown === undefined || !isThere(shown.body, at)) return null
  return { place: { tab, file: shown.path, span: { start, end } }, text: shown.body.slice(start, end) }
}

function inTranscript(at: EvidencePlace, { events, spots = {}, transcript }: Quotable): Known | null {
  const { start, end } = at
  if (events === null) {
    const place: Place = { tab: 'transcript', event: null, span: { start, end } }
    return transcript !== null && isThere(transcript, at) ? { place, text: transcript.slice(start, end) } : null
  }
  const spot = Object.hasOwn(spots, start) ? spots[start] : undefined
  const event = spot === undefined ? undefined : events[spot.event]
  if (spot === undefined || event === undefined) return null
  const { span } = spot
  const text = span === null ? saidBy(event) : saidBy(event).slice(span.start, span.end)
  return { place: { tab: 'transcript', event: spot.event, span }, text }
}

/** What spans of an event are offsets in. */
function saidBy({ text, output, message, input }: PageEvent): string {
  return asText(text ?? output ?? message ?? input ?? '')
}

/** A secret taken out, or a cut, moves what stands behind it: the line tells. */
function isThere(text: string, { line, end, start }: EvidencePlace): boolean {
  return end <= text.length && text.slice(0, start).split('\n').length === line
}

const ellipsis = /\[(?:\.{3}|…)\]|\((?:\.{3}|…)\)|\.{3,}|…/

/** White space, case, typography and Markdown marks aside. */
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
