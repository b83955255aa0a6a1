/** Reads recorded sessions of agent programs from a file or a folder, line by line: a session can have hundreds of megabytes. */
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { attempt } from '../../base/errors/attempt.ts'
import { errnoCode, errorMessage, UserError } from '../../base/errors/error.ts'
import { readZip } from '../../base/fs/zip.ts'
import { parseJson, tryParseJson } from '../../base/json/json.ts'
import { parseJsonLine } from '../../engines/cli/json_line.ts'
import { atifTrajectory } from './formats/atif.ts'
import { readChatSessions } from './formats/chat_messages.ts'
import { claudeCodeSessions } from './formats/claude_code.ts'
import { codexSessions } from './formats/codex.ts'
import { copilotSessions, geminiDocument, geminiSessions, piSessions } from './formats/message_lines.ts'
import { opencodeSessions } from './formats/opencode.ts'
import type {
  LineReader,
  ReadSession,
  ReadSessions,
  RefusedFile,
  SessionFile,
  SessionFormats,
  SessionOutcome,
} from './session.ts'

/** By the name of the program, or of the format that several write. */
const formats: Record<string, SessionFormats> = {
  'claude-code': { lines: [claudeCodeSessions] },
  codex: { lines: [codexSessions] },
  copilot: { lines: [copilotSessions] },
  gemini: { lines: [geminiSessions], documents: [geminiDocument] },
  pi: { lines: [piSessions] },
  opencode: opencodeSessions,
  atif: { documents: [atifTrajectory] },
}

const allFormats = Object.values(formats)

/** Why a file with this name is no session; undefined: its content says. */
function refuseByName(file: string): string | undefined {
  const reasons = allFormats.map(({ refused }) => refused?.[path.basename(file)])
  return reasons.find((reason) => reason !== undefined)
}

/** Lines in which a file must show its format. */
const firstLines = 50

/**
 * All sessions of a file or, recursively, of a folder, by start time. Files of a folder that are not sessions are skipped. `refused`:
 * sessions that can't be used, with the reason. `onFile` is called before each file; what it rejects with ends the reading. Throws UserError if the place does not exist, or the file is not a session.
 */
export async function readSessions(
  place: string,
  onFile: (done: number, total: number) => Promise<void> = async () => {},
): Promise<ReadSessions> {
  const root = path.resolve(place)
  const isFolder = await statPlace(root, place)
  const files = isFolder ? await listFiles(root) : [root]
  const read: ReadSession[] = []
  const refused: RefusedFile[] = []
  for (const [index, file] of files.entries()) {
    await onFile(index, files.length)
    const outcomes = await readFileOutcomes(file)
    if (outcomes.length === 0 && !isFolder) throw notASession(place, await explainNoSession(file))
    for (const outcome of outcomes) {
      if ('refused' in outcome) refused.push({ file, reason: outcome.refused })
      else read.push(outcome)
    }
  }
  const { kept, repeated } = leaveOutRepeats(read)
  const sessions = kept.map(({ session }) => session)
  sessions.sort((a, b) => (a.startedAt ?? '').localeCompare(b.startedAt ?? '') || a.file.localeCompare(b.file))
  return { sessions, refused: [...refused, ...repeated] }
}

function notASession(place: string, why: string): UserError {
  const known =
    'of Claude Code, Codex, Copilot, Gemini or pi, the output of `opencode export`, a trajectory in ATIF, or messages of a chat API'
  return new UserError(`${place}: not a session that Whetstone can read: ${why}`, `give a file of a session: ${known}`)
}

async function statPlace(root: string, place: string): Promise<boolean> {
  try {
    const found = await stat(root)
    if (found.isDirectory() || found.isFile()) return found.isDirectory()
  } catch (error) {
    if (errnoCode(error) !== 'ENOENT') throw new UserError(`${place}: ${errorMessage(error)}`)
    throw new UserError(`${place}: no such file or folder`, 'check the path')
  }
  throw new UserError(`${place}: neither a file nor a folder`, 'give a file of a session, or a folder of such files')
}

async function listFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return entries
    .filter(
      (entry) =>
        entry.isFile() && (/\.(?:jsonl?|traj|eval)$/.test(entry.name) || refuseByName(entry.name) !== undefined),
    )
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.split(path.sep).includes('node_modules'))
    .sort()
}

/** Most files hold one session; empty: the file is not a session. */
async function readFileOutcomes(file: string): Promise<SessionOutcome[]> {
  const refused = refuseByName(file)
  if (refused !== undefined) return [{ refused }]
  try {
    const { mtime } = await stat(file)
    const source = { file, changedAt: mtime.toISOString() }
    if (file.endsWith('.eval')) return readChatSessions(await readInspectArchive(file), source)
    const outcome = await readLines(source)
    return outcome === null ? await readDocument(source) : [outcome]
  } catch (error) {
    return [{ refused: errorMessage(error) }]
  }
}

/** A log of Inspect, as its form in one JSON file; a part that can't be read is null. */
async function readInspectArchive(file: string): Promise<object> {
  const entries = readZip(await readFile(file))
  const read = (name: string) => tryParseJson(attempt(() => entries.get(name)?.().toString('utf8') ?? '', '')) ?? null
  const samples = [...entries.keys()].filter((name) => /^samples\/.+\.json$/.test(name)).sort()
  return { ...Object(read('header.json')), samples: samples.map(read) }
}

/** null: the file is not of a record a line. */
async function readLines(source: SessionFile): Promise<SessionOutcome | null> {
  const input = createReadStream(source.file, 'utf8')
  let reader: LineReader | null = null
  const waiting: [string, number][] = []
  let number = 0
  try {
    for await (const read of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1
      const line = number === 1 ? withoutMark(read) : read
      if (line.trim() === '') continue
      if (reader === null) {
        waiting.push([line, number])
        reader = openReader(line, source)
        if (reader === null && waiting.length >= firstLines) return null
        for (const [one, at] of reader === null ? [] : waiting.splice(0)) reader?.take(one, at)
      } else reader.take(line, number)
    }
  } finally {
    input.destroy()
  }
  return reader?.end() ?? null
}

function openReader(line: string, source: SessionFile): LineReader | null {
  const read = parseJsonLine(line)
  if (read.kind !== 'object') return null
  const lineFormats = allFormats.flatMap(({ lines = [] }) => lines)
  return lineFormats.find((format) => format.recognizes(read.value))?.open(source) ?? null
}

async function readDocument(source: SessionFile): Promise<SessionOutcome[]> {
  const text = withoutMark(await readFile(source.file, 'utf8'))
  if (text.trim() === '') return [{ refused: 'the file is empty' }]
  if (isDamagedDocument(text) || source.file.endsWith('.traj')) parseJson(text, path.basename(source.file)) // throws, with the place of the mistake
  const document = tryParseJson(text) ?? text.trim().split('\n').map(tryParseJson)
  if (typeof document !== 'object' || document === null) return []
  const record = Array.isArray(document) ? {} : Object.fromEntries(Object.entries(document))
  const documentFormats = allFormats.flatMap(({ documents = [] }) => documents)
  const format = documentFormats.find((one) => one.recognizes(record))
  if (format !== undefined) return [await format.read(record, source)]
  const why = explainOtherTrajectory(record)
  return why === null ? readChatSessions(document, source) : [{ refused: why }]
}

/** Whether the text begins as a document of a known format and can't be parsed. */
function isDamagedDocument(text: string): boolean {
  return /ATIF-v|"steps"\s*:\s*\[|"ses_|\bsessionID\b/.test(text.slice(0, 2000)) && tryParseJson(text) === undefined
}

/** Without the byte order mark. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/** A session that was resumed as a new file repeats the records of the earlier one: the longer file is kept. */
function leaveOutRepeats(all: readonly ReadSession[]): { kept: ReadSession[]; repeated: RefusedFile[] } {
  const filesOf = new Map<string, ReadSession[]>()
  for (const one of all) for (const id of one.recordIds) filesOf.set(id, [...(filesOf.get(id) ?? []), one])
  const repeated: RefusedFile[] = []
  const kept = all.filter((one) => {
    const [first] = one.recordIds
    const others = first === undefined ? [] : (filesOf.get(first) ?? [])
    const whole = others.find(
      (other) => other.recordIds.size > one.recordIds.size && [...one.recordIds].every((id) => other.recordIds.has(id)),
    )
    if (whole !== undefined) {
      repeated.push({ file: one.session.file, reason: `${path.basename(whole.session.file)} repeats it and continues` })
    }
    return whole === undefined
  })
  return { kept, repeated }
}

/** One sentence for a file that no format recognizes. Rejects if the file cannot be read. */
async function explainNoSession(file: string): Promise<string> {
  const text = await readFile(file, 'utf8')
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const document = tryParseJson(text)
  if (document !== undefined)
    return `JSON ${describeFields(document)}; expected "schema_version" and "steps" (ATIF), "info" and "messages" (opencode), or a list of messages with "role"`
  const [first = ''] = lines
  const record = tryParseJson(first)
  if (record !== undefined)
    return `none of its first ${Math.min(lines.length, 50)} lines is a record of an agent; line 1 is JSON ${describeFields(record)}`
  try {
    parseJson(text, path.basename(file))
  } catch (error) {
    return errorMessage(error)
  }
  return 'it has no record'
}

/** Why a document that has steps is not a trajectory; null: it has none. */
function explainOtherTrajectory({ schema_version: version, steps }: Record<string, unknown>): string | null {
  const isLike = Array.isArray(steps) && steps.some((step) => typeof Object(step).source === 'string')
  const found = version === undefined ? 'missing' : JSON.stringify(version)
  return isLike ? `"schema_version" of the trajectory is ${found}, expected "ATIF-v1.0" to "ATIF-v1.7"` : null
}

function describeFields(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'that is not an object'
  const names = Object.keys(value)
  const more = names.length > 5 ? ', …' : ''
  return names.length === 0
    ? 'without a field'
    : `with ${names
        .slice(0, 5)
        .map((name) => `"${name}"`)
        .join(', ')}${more}`
}
