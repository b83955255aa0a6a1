/** opencode's sessions: what `opencode export` prints, the output of `opencode run --format json`, and the JSON storage of older versions. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'
import { parseJsonLine, toJsonValue } from '../../engines/cli/json_line.ts'
import type {
  LineReader,
  SessionDocumentFormat,
  SessionFile,
  SessionFormats,
  SessionLineFormat,
  SessionOutcome,
} from '../../engines/session.ts'
import { SessionRecorder } from '../../engines/session.ts'
import { sumOpencodeTokens } from './report.ts'
import { OpencodeStream, readOpencodeLine } from './stream.ts'

const times = z
  .looseObject({ created: z.number().optional(), start: z.number().optional() })
  .optional()
  .catch(undefined)
const text = z.string().optional().catch(undefined)

const sessionInfo = z.looseObject({ id: z.string().startsWith('ses_'), directory: text, parentID: text, time: times })

const messageInfo = z.looseObject({
  id: text,
  role: z.enum(['user', 'assistant']),
  modelID: text,
  time: times,
  summary: z.unknown().optional(),
  error: z
    .looseObject({ name: z.string().default('error') })
    .optional()
    .catch(undefined),
})

const part = z.looseObject({
  type: z.string(),
  text: text,
  synthetic: z.boolean().optional().catch(undefined),
  ignored: z.boolean().optional().catch(undefined),
  time: times,
})

const exported = z.looseObject({
  info: sessionInfo,
  messages: z.array(z.looseObject({ info: z.unknown(), parts: z.array(z.unknown()).default([]) })),
})

type Exported = z.infer<typeof exported>
type MessageInfo = z.infer<typeof messageInfo>
type SessionPart = z.infer<typeof part>

/** A part of a message, as the type of the stream's record that contains the same. */
const recordOfPart: Readonly<Record<string, string>> = {
  'step-start': 'step_start',
  'step-finish': 'step_finish',
  text: 'text',
  reasoning: 'reasoning',
  tool: 'tool_use',
}

/** Parts that are no part of the conversation. */
const ownParts = new Set(['snapshot', 'patch', 'file', 'agent', 'subtask', 'retry', 'compaction'])

const opencodeExport: SessionDocumentFormat = {
  recognizes: (document) => exported.safeParse(document).success,
  read: (document, file) => readExport(exported.parse(document), file),
}

/** `storage/session/<project>/ses_*.json`, with `storage/message/<session>/` and `storage/part/<message>/`. */
const opencodeStorage: SessionDocumentFormat = {
  recognizes: (document) => sessionInfo.safeParse(document).success && 'time' in document,
  async read(document, file) {
    const info = sessionInfo.parse(document)
    const storage = path.resolve(file.file, '../../..')
    const messages = await readFolder(path.join(storage, 'message', info.id))
    const withParts = messages.map(async (message) => {
      const id = messageInfo.safeParse(message).data?.id
      return { info: message, parts: id === undefined ? [] : await readFolder(path.join(storage, 'part', id)) }
    })
    return readExport({ info, messages: await Promise.all(withParts) }, file)
  },
}

/** The JSON files of a folder by name, which is also by time; a file that can't be read is its text. Empty if there is no such folder. */
async function readFolder(folder: string): Promise<unknown[]> {
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => name.endsWith('.json')).sort()
  return Promise.all(
    files.map(async (name) => {
      const content = await readFile(path.join(folder, name), 'utf8')
      return tryParseJson(content) ?? content
    }),
  )
}

function readExport({ info, messages }: Exported, { file, changedAt }: SessionFile): SessionOutcome {
  const recorder = new SessionRecorder(file, 'opencode', changedAt)
  const stream = openStream(recorder)
  recorder.id = info.id
  recorder.cwd = info.directory ?? null
  recorder.setTime(info.time?.created)
  messages.forEach((message, index) => {
    const read = messageInfo.safeParse(message.info)
    if (!read.success) {
      recorder.records += 1
      recorder.skip(`message ${index + 1}`, JSON.stringify(message.info) ?? '')
      return
    }
    takeMessage(recorder, stream, { info: read.data, parts: message.parts, place: `message ${index + 1}` })
  })
  if (info.parentID !== undefined) return { refused: 'only the work of a sub-agent' }
  return endSession(recorder, stream)
}

function takeMessage(
  recorder: SessionRecorder,
  stream: OpencodeStream,
  { info, parts, place }: { info: MessageInfo; parts: readonly unknown[]; place: string },
): void {
  recorder.setTime(info.time?.created)
  recorder.model = info.modelID ?? recorder.model
  parts.forEach((one, index) => {
    recorder.records += 1
    const read = part.safeParse(one)
    if (!read.success || !takePart(recorder, stream, { info, part: read.data })) {
      recorder.skip(`${place}, part ${index + 1}`, JSON.stringify(one) ?? '')
    }
  })
  if (info.error === undefined) return
  recorder.stopReason = info.error.name
  const message = JSON.stringify(toJsonValue(info.error))
  recorder.emit({ type: 'error', step: stream.step, kind: info.error.name, message })
}

/** Whether the part could be read. */
function takePart(
  recorder: SessionRecorder,
  stream: OpencodeStream,
  { info, part: one }: { info: MessageInfo; part: SessionPart },
): boolean {
  recorder.setTime(one.time?.start)
  if (ownParts.has(one.type)) return true
  if (info.role === 'user' && one.type === 'text') {
    if (one.synthetic === true || one.ignored === true) recorder.note('added_text', one.text ?? '')
    else recorder.say(withoutQuotes(one.text ?? ''))
    return true
  }
  if (info.summary === true && one.type === 'text') {
    recorder.note('compact_summary', one.text ?? '')
    return true
  }
  const type = recordOfPart[one.type]
  return type !== undefined && takeRecord(recorder, stream, JSON.stringify({ type, part: one }))
}

/** `opencode run` puts a prompt that it gets as one argument into quotes. */
function withoutQuotes(text: string): string {
  return /^"([^"]*)"$/.exec(text.trim())?.[1] ?? text
}

const unfinished = z.looseObject({
  type: z.literal('tool_use'),
  part: z.looseObject({
    tool: z.string(),
    callID: z.string(),
    state: z.looseObject({ status: z.enum(['pending', 'running']), input: z.unknown() }),
  }),
})

/** Whether the record could be read. A call that never ended has no result. */
function takeRecord(recorder: SessionRecorder, stream: OpencodeStream, line: string): boolean {
  const open = unfinished.safeParse(tryParseJson(line))
  if (open.success) {
    const { tool: name, callID: id, state } = open.data.part
    recorder.emit({ type: 'tool_call', step: stream.step, id, name, input: toJsonValue(state.input ?? {}) })
    return true
  }
  const read = readOpencodeLine(line)
  if (read.kind === 'record') stream.take(line)
  return read.kind === 'record'
}

function openStream(recorder: SessionRecorder): OpencodeStream {
  return new OpencodeStream({ skills: [], skillsFolder: '.opencode/skills', emit: recorder.emit, maxTurns: null })
}

function endSession(recorder: SessionRecorder, stream: OpencodeStream): SessionOutcome {
  if (recorder.isEmpty) return { refused: 'nothing was said in it' }
  recorder.stopReason ??= stream.failure?.name ?? stream.reason
  // opencode writes 0 if it knows no price
  const costUsd = stream.cost > 0 ? stream.cost : null
  return { session: recorder.end({ usage: sumOpencodeTokens(stream.tokens), costUsd }), recordIds: new Set() }
}

const opencodeStreamed: SessionLineFormat = {
  recognizes: ({ type, sessionID, part: one }) =>
    typeof type === 'string' && typeof sessionID === 'string' && sessionID.startsWith('ses_') && one !== undefined,
  open: (file) => new OpencodeReader(file),
}

class OpencodeReader implements LineReader {
  readonly #recorder: SessionRecorder
  readonly #stream: OpencodeStream

  constructor({ file, changedAt }: SessionFile) {
    this.#recorder = new SessionRecorder(file, 'opencode', changedAt)
    this.#stream = openStream(this.#recorder)
  }

  take(line: string, number: number): void {
    this.#recorder.records += 1
    const read = parseJsonLine(line)
    if (read.kind === 'object') this.#recorder.setTime(read.value.timestamp)
    if (!takeRecord(this.#recorder, this.#stream, line)) this.#recorder.skip(`line ${number}`, line)
  }

  end(): SessionOutcome {
    this.#recorder.id = this.#stream.sessionId
    return endSession(this.#recorder, this.#stream)
  }
}

export const opencodeSessions: SessionFormats = {
  lines: [opencodeStreamed],
  documents: [opencodeExport, opencodeStorage],
  refused: { 'opencode.db': 'a database of opencode; write its sessions with `opencode export SESSION > FILE.json`' },
}
