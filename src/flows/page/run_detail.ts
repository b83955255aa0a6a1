/** Reads one run for the page: transcript, outputs and records, truncated if too long. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { type ConversationRecord, conversationRecord, numberMessages } from '../../../schemas/conversation.ts'
import { lookedUp } from '../../../schemas/evidence.ts'
import type { Known, PageBefore, PageConversation, PageEvent, PageSpot, RunDetail } from '../../../schemas/page.ts'
import { type TranscriptEvent, transcriptEvent } from '../../../schemas/transcript.ts'
import { attempt } from '../../base/errors/attempt.ts'
import { createOwnFileFinder, findOwnFile } from '../../base/fs/inside_folder.ts'
import { checkAs } from '../../base/json/json.ts'
import { type EventPlace, eventPlaces } from '../../phases/2-run/collect/transcript.ts'
import { describeRemoved, readRemoved } from '../../store/artefacts/removed_parts.ts'
import { readOutputs } from './read_outputs.ts'

const longestLine = 40_000
const longestText = 15_000
const mostCharacters = 1_500_000

const pageEvent = z.looseObject({ type: z.string() })

export function readDetail(folder: string): RunDetail | null {
  if (!existsSync(folder)) return null
  const own = createOwnFileFinder(folder)
  const record = parseLoose(own('run.json'))
  const grading = parseLoose(own('grading.json'))
  const { events, cut, lines } = readEvents(own('transcript.jsonl'))
  const gone = readRemoved(folder)
  const conversation = talkedRecord.safeParse(record).data?.conversation
  const whole = own('transcript.md')
  const markdown = () => (whole === null ? '' : readFileSync(whole, 'utf8'))
  const spots = findEvidenceSpots(grading, { lines, markdown, conversation })
  return {
    events,
    ...(spots !== null && { spots }),
    transcript: events === null ? readText(folder, ['transcript.md', 'outputs/transcript.md']) : null,
    cut,
    ...(gone !== null && { removed: `The transcript ${describeRemoved(gone)}, with the outputs.` }),
    ...(conversation && { conversation: toPageConversation(conversation, events ?? []) }),
    outputs: readOutputs(path.join(folder, 'outputs'), outputHashes(record)),
    record,
    grading,
  }
}

/** null for a missing file, a link to another folder, or invalid JSON. */
export function readLoose(file: string): unknown {
  return parseLoose(attempt(() => findOwnFile(path.dirname(file), path.basename(file)), null))
}

function parseLoose(file: string | null): unknown {
  return file === null ? null : attempt(() => JSON.parse(readFileSync(file, 'utf8')), null)
}

const talkedRecord = z.object({ conversation: conversationRecord.optional() })

function toPageConversation(conversation: ConversationRecord, events: readonly PageEvent[]): PageConversation {
  const said = events.map(({ type, text }) => ({ type, text: typeof text === 'string' ? text : undefined }))
  const turns = conversation.turns.map(({ prompt, answer, step }) => ({
    prompt: cutText(prompt, longestText),
    answer: cutText(answer, longestText),
    step,
  }))
  return { ...conversation, turns, messages: Object.fromEntries(numberMessages(said, conversation)) }
}

const answeredRecord = z.object({ final_response: z.string() })

export function readPreviousRun(folder: string): PageBefore {
  const record = readLoose(path.join(folder, 'run.json'))
  const said = answeredRecord.safeParse(record)
  const outputs = readOutputs(path.join(folder, 'outputs'), outputHashes(record))
  return { answer: said.success ? said.data.final_response : null, outputs }
}

const hashedRecord = z.object({
  outputs: z.object({ files: z.array(z.object({ path: z.string(), sha256: z.string() })) }),
})

function outputHashes(record: unknown): ReadonlyMap<string, string> {
  const found = hashedRecord.safeParse(record)
  return new Map(found.success ? found.data.outputs.files.map((file) => [file.path, file.sha256]) : [])
}

function readText(folder: string, names: readonly string[]): string | null {
  const [file] = names.flatMap((name) => findOwnFile(folder, name) ?? [])
  return file === undefined ? null : cutText(readFileSync(file, 'utf8'), 200_000)
}

/** `lines`: the file's event lines, and whether each is shown untruncated. */
interface Events extends Pick<RunDetail, 'events' | 'cut'> {
  lines: EventLine[]
}

function readEvents(file: string | null): Events {
  if (file === null) return { events: null, cut: null, lines: [] }
  const all = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  const events: PageEvent[] = []
  const lines: EventLine[] = []
  let size = 0
  for (const line of all) {
    if (size > mostCharacters) break
    const event = attempt(() => parsePageEvent(line, file), null)
    if (event === null) continue
    events.push(event)
    lines.push({ line, whole: line.length <= longestLine })
    size += Math.min(line.length, longestLine)
  }
  const rest = all.length - events.length
  return { events, cut: rest === 0 ? null : `${rest} events are left out; transcript.jsonl has them all.`, lines }
}

/** Throws for a line that is not an event. */
function parsePageEvent(line: string, file: string): PageEvent {
  const event = checkAs(pageEvent, JSON.parse(line), file)
  return line.length <= longestLine ? event : checkAs(pageEvent, cutDeep(event), file)
}

function cutDeep(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value, longestText)
  if (Array.isArray(value)) return value.slice(0, 200).map(cutDeep)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cutDeep(one)]))
}

/** Keeps both ends: the beginning identifies the text, the end shows the outcome. */
function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text
  const [head, tail] = [text.slice(0, (longest * 2) / 3), text.slice(-longest / 3)]
  return `${head}\n… ${text.length - head.length - tail.length} characters left out …\n${tail}`
}

/** A line of transcript.jsonl shown on the page. */
interface EventLine {
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
function findEvidenceSpots(
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

/** Parses a file with its schema; a file that does not fit is shown raw. null: no such file, or not JSON. */
export function parseOrRaw<S extends z.ZodType>(schema: S, file: string): Known<z.infer<S>> | null {
  const raw = readLoose(file)
  if (raw === null) return null
  const parsed = schema.safeParse(raw)
  return parsed.success ? { value: parsed.data } : { raw }
}
