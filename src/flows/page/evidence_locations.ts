/** Locates a judge's evidence quotes in a run's events: they were looked up in transcript.md, but the page shows events. */
import * as z from 'zod'
import type { ConversationRecord } from '../../../schemas/conversation.ts'
import { lookedUp } from '../../../schemas/evidence.ts'
import type { PageSpot } from '../../../schemas/page.ts'
import { type TranscriptEvent, transcriptEvent } from '../../../schemas/transcript.ts'
import { type EventPlace, eventPlaces } from '../../phases/2-run/collect/transcript.ts'

/** A line of transcript.jsonl shown on the page. */
export interface EventLine {
  line: string
  /** False: the page shortens its long texts. */
  whole: boolean
}

interface Source {
  lines: readonly EventLine[]
  markdown(): string
  /** Of the run's record; absent: it has none. */
  conversation?: ConversationRecord | undefined
}

const provedStatement = z.looseObject(lookedUp)
const gradedRun = z.looseObject({
  expectations: z.array(provedStatement),
  rubric: z.looseObject({ dimensions: z.array(provedStatement), hard_fails: z.array(provedStatement) }).optional(),
})

/** null: no quote is in transcript.md, or the file does not match these events. */
export function findEvidenceSpots(
  grading: unknown,
  { lines, markdown, conversation }: Source,
): Record<string, PageSpot> | null {
  const wanted = listQuoteSpans(grading)
  if (wanted.length === 0) return null
  const events = lines.flatMap(({ line }) => parseEventLine(line) ?? [])
  const places = events.length === lines.length ? eventPlaces(markdown(), events, conversation) : null
  if (places === null) return null
  const spots = wanted.flatMap(({ start, end }) => {
    const place = places.find((one) => one.start <= start && start < one.end)
    return place === undefined ? [] : [[start, toPageSpot(place, { start, end }, lines)] as const]
  })
  return Object.fromEntries(spots)
}

function listQuoteSpans(grading: unknown): { start: number; end: number }[] {
  const found = gradedRun.safeParse(grading)
  if (!found.success) return []
  const { expectations, rubric } = found.data
  return [...expectations, ...(rubric?.dimensions ?? []), ...(rubric?.hard_fails ?? [])].flatMap(({ evidence_at }) =>
    evidence_at?.file === 'transcript.md' ? evidence_at : [],
  )
}

function parseEventLine(line: string): TranscriptEvent | null {
  const event = transcriptEvent.safeParse(JSON.parse(line))
  return event.success ? event.data : null
}

function toPageSpot(
  place: EventPlace,
  { start, end }: { start: number; end: number },
  lines: Source['lines'],
): PageSpot {
  const whole = lines[place.event]?.whole === true
  const span = { start: start - place.start, end: Math.min(end, place.end) - place.start }
  return { event: place.event, span: whole && place.isExact ? span : null }
}
