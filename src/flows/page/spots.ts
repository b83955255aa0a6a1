/** Where the quotes that a judge's evidence was looked up for stand in the events of a run: transcript.md is not what a page shows. */
import { z } from 'zod'
import { lookedUp } from '../../../schemas/evidence.ts'
import type { PageSpot } from '../../../schemas/page.ts'
import { type TranscriptEvent, transcriptEvent } from '../../../schemas/transcript.ts'
import { type EventPlace, eventPlaces } from '../../phases/2-run/transcript.ts'

/** A line of transcript.jsonl that the page shows. */
export interface EventLine {
  line: string
  /** False: its long texts are cut in the page. */
  whole: boolean
}

interface Source {
  lines: readonly EventLine[]
  markdown(): string
}

const proved = z.looseObject(lookedUp)
const graded = z.looseObject({
  expectations: z.array(proved),
  rubric: z.looseObject({ dimensions: z.array(proved), hard_fails: z.array(proved) }).optional(),
})

/** null: no quote of it stands in transcript.md, or that was not made of these events. */
export function spotsOf(grading: unknown, { lines, markdown }: Source): Record<string, PageSpot> | null {
  const wanted = wantedOf(grading)
  if (wanted.length === 0) return null
  const events = lines.flatMap(({ line }) => eventIn(line) ?? [])
  const places = events.length === lines.length ? eventPlaces(markdown(), events) : null
  if (places === null) return null
  const spots = wanted.flatMap(({ start, end }) => {
    const place = places.find((one) => one.start <= start && start < one.end)
    return place === undefined ? [] : [[start, spotIn(place, { start, end }, lines)] as const]
  })
  return Object.fromEntries(spots)
}

function wantedOf(grading: unknown): { start: number; end: number }[] {
  const found = graded.safeParse(grading)
  if (!found.success) return []
  const { expectations, rubric } = found.data
  return [...expectations, ...(rubric?.dimensions ?? []), ...(rubric?.hard_fails ?? [])].flatMap(({ evidence_at }) =>
    evidence_at?.file === 'transcript.md' ? evidence_at : [],
  )
}

function eventIn(line: string): TranscriptEvent | null {
  const event = transcriptEvent.safeParse(JSON.parse(line))
  return event.success ? event.data : null
}

function spotIn(place: EventPlace, { start, end }: { start: number; end: number }, lines: Source['lines']): PageSpot {
  const whole = lines[place.event]?.whole === true
  const span = { start: start - place.start, end: Math.min(end, place.end) - place.start }
  return { event: place.event, span: whole ? span : null }
}
