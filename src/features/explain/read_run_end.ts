/** Reads how a run ended from its record and its transcript, from Whetstone or another tool. */
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { ExplainedRun } from '../../../schemas/explanation.ts'
import { type RunRecord, runRecord } from '../../../schemas/run.ts'
import { transcriptEvent } from '../../../schemas/transcript.ts'
import { createOwnFileFinder } from '../../base/fs/inside_folder.ts'
import { tryParseJson } from '../../base/json/json.ts'
import { readLoose } from '../../flows/page/run_detail.ts'
import { describeRemoved, readRemoved } from '../../store/artefacts/removed_parts.ts'

type RunEnd = Pick<
  ExplainedRun,
  | 'end'
  | 'conversation'
  | 'stop_reason'
  | 'exit_code'
  | 'skill_read_line'
  | 'transcript'
  | 'removed'
  | 'last_error'
  | 'outputs'
>

const quoteLength = 1000

/** A text of a judge or an agent, its end left out where it is long. */
export function cutQuote(text: string, longest = quoteLength): string {
  const letters = [...text.slice(0, 2 * longest)] // a letter has at most two units
  return text.length <= longest || letters.length <= longest ? text : `${letters.slice(0, longest).join('')}…`
}

/** `folder`: absolute; null: not known. `shown`: the folder as the result names it. */
export async function readRunEnd(folder: string | null, shown: string): Promise<RunEnd> {
  if (folder === null) return unknownEnd
  const own = createOwnFileFinder(folder)
  const record = runRecord.safeParse(readLoose(path.join(folder, 'run.json'))).data ?? null
  const gone = readRemoved(folder)
  const events = own('transcript.jsonl')
  const transcript = ['transcript.jsonl', 'transcript.md'].find((name) => own(name) !== null) ?? null
  return {
    end: record === null ? 'unknown' : classifyEnd(record),
    ...(record?.conversation && {
      conversation: { messages: record.conversation.turns.length, ended: record.conversation.ended },
    }),
    stop_reason: record?.stop_reason ?? null,
    exit_code: record?.exit_code ?? null,
    transcript: transcript === null ? null : path.posix.join(shown, transcript),
    removed: gone === null ? null : `the transcript ${describeRemoved(gone)}`,
    ...(events === null ? noEvents : await scanTranscript(events)),
    outputs: record?.outputs.files.map((file) => file.path) ?? null,
  }
}

const noEvents = { skill_read_line: null, last_error: null }

const unknownEnd: RunEnd = {
  ...noEvents,
  end: 'unknown',
  stop_reason: null,
  exit_code: null,
  transcript: null,
  removed: null,
  outputs: null,
}

const stopEnds: Readonly<Record<string, RunEnd['end']>> = {
  refusal: 'refused',
  max_tokens: 'cut',
  context_window: 'cut',
  max_turns: 'turn_limit',
}

function classifyEnd({ status, stop_reason, asked_user }: RunRecord): RunEnd['end'] {
  if (status === 'timed_out') return 'timed_out'
  const stopped = stopEnds[stop_reason ?? '']
  return stopped ?? (asked_user === undefined ? 'completed' : 'asked_user')
}

/** Line by line, because a transcript may be larger than a string can be. */
async function scanTranscript(file: string): Promise<Pick<RunEnd, 'skill_read_line' | 'last_error'>> {
  const found: Pick<RunEnd, 'skill_read_line' | 'last_error'> = { ...noEvents }
  let line = 0
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1
    if (!/"(?:skill_read|error)"|"is_error":\s*true/.test(text)) continue
    const event = transcriptEvent.safeParse(tryParseJson(text)).data
    if (event?.type === 'skill_read') found.skill_read_line ??= line
    if (event?.type === 'error') found.last_error = { line, tool: null, text: cutQuote(event.message) }
    if (event?.type === 'tool_result' && event.is_error) {
      found.last_error = { line, tool: event.name, text: cutQuote(event.output) }
    }
  }
  return found
}
