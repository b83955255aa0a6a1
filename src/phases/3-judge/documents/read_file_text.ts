/** Reads a file as text: a text file in its encoding, a document by its reader. */
import { readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { errorMessage } from '../../../base/errors/error.ts'
import { parseJson } from '../../../base/json/json.ts'
import { type ProcessEnd, runProcess } from '../../../base/process/spawn.ts'
import { startTimeLimit } from '../../../base/time/time_limit.ts'
import { decodeText } from './decode_text.ts'
import {
  type DocumentFormat,
  findDocumentFormat,
  isClosedFormat,
  isTextName,
  listReaderPackages,
  readEnding,
} from './document_formats.ts'
import { type Workbook, workbook } from './workbook.ts'

/** Bytes of a document, and characters of its text; nothing longer is searched. */
const limits = { bytes: 50 * 2 ** 20, characters: 20_000_000 }

/** Part of a grading's key; it changes when a file is read in another way. */
export const fileTextVersion = 2

/**
 * unreadable: it may have text, but cannot be read, and why. no_reader: what this machine lacks to read it. binary: a kind of file that
 * has no text. `document`: the text was extracted from a document. `sheets`: of a workbook.
 */
export type FileText =
  | { status: 'text'; text: string; document: boolean; sheets?: Workbook | undefined }
  | { status: 'unreadable'; reason: string }
  | { status: 'no_reader'; reason: string }
  | { status: 'binary' }

/** `name` tells the kind of the file. Rejects only when aborted, when the file is gone, or when the machine is low on a resource. */
export async function readFileText(file: string, name: string, signal: AbortSignal): Promise<FileText> {
  const format = findDocumentFormat(name)
  if (format !== null && (await stat(file)).size > limits.bytes)
    return { status: 'unreadable', reason: `it is larger than ${limits.bytes / 2 ** 20} MiB` }
  const bytes = await readFile(file)
  if (format !== null && !isPlainText(format, bytes)) return await readDocumentText({ file, format }, signal)
  const text = decodeText(bytes)
  if (text !== null) return { status: 'text', text, document: false }
  if (isClosedFormat(name)) return { status: 'unreadable', reason: `there is no reader for .${readEnding(name)} files` }
  return isTextName(name) ? { status: 'unreadable', reason: 'it is not text' } : { status: 'binary' }
}

/** Whether a text file has the name of a document, as a CSV file that is named report.xlsx. */
function isPlainText(format: DocumentFormat, bytes: Buffer): boolean {
  if (format === 'ipynb') return false
  if (format === 'pdf' && bytes.subarray(0, 1024).includes('%PDF-')) return false
  if (format !== 'pdf' && bytes.subarray(0, 2).toString('latin1') === 'PK') return false // cut so early that its bytes look like text
  return bytes.length > 0 && decodeText(bytes) !== null
}

async function readDocumentText(
  document: { file: string; format: DocumentFormat },
  signal: AbortSignal,
): Promise<FileText> {
  const read = await runDocumentReader(document, signal)
  if ('missing' in read) return { status: 'no_reader', reason: read.missing }
  if ('error' in read) return { status: 'unreadable', reason: read.error }
  if (read.value.text.length > limits.characters)
    return { status: 'unreadable', reason: `its text is longer than ${limits.characters} characters` }
  return { status: 'text', document: true, ...read.value }
}

/** Of one document: seconds of processor time, and bytes of the whole process. */
const processLimits = { seconds: 5, bytes: 512e6 }

/** Milliseconds in which a machine has to give the process those seconds. */
const longestMs = 60_000

/** Characters of what a reader prints: its text, and the cells of a workbook. */
const longestAnswer = 64 * 2 ** 20

const program = fileURLToPath(new URL('./readers/main.mjs', import.meta.url))

const answer = z.union([
  z.object({ value: z.object({ text: z.string(), sheets: workbook.optional() }) }),
  z.object({ error: z.string() }),
  z.object({ missing: z.string() }),
])

/** `error`: why the document can't be read. `missing`: what the machine lacks to read it. */
type DocumentAnswer = z.infer<typeof answer>

/** `file`: absolute. Rejects only when aborted, or when the machine is low on a resource. */
async function runDocumentReader(
  { file, format }: { file: string; format: DocumentFormat },
  signal: AbortSignal,
): Promise<DocumentAnswer> {
  using limit = startTimeLimit(longestMs, [signal])
  try {
    const job = JSON.stringify({ file, format, packages: listReaderPackages(format), limits: processLimits })
    const end = await runProcess({
      command: process.execPath,
      args: [`--max-old-space-size=${processLimits.bytes / 1e6}`, program, job],
      cwd: tmpdir(),
      env: {},
      signal: limit.signal,
      stdoutLimit: longestAnswer,
    })
    return readAnswer(end)
  } catch (error) {
    signal.throwIfAborted()
    if (!limit.signal.aborted) throw error
    return {
      missing: `this machine gave its reader less than ${processLimits.seconds} s of work in ${longestMs / 1000} s`,
    }
  }
}

function readAnswer({ signal, stdout, stdoutCut }: ProcessEnd): DocumentAnswer {
  if (signal !== null) return { error: signalReasons[signal] ?? `it crashes its reader (${signal})` }
  if (stdoutCut) return { error: 'it has too much text' }
  try {
    return answer.parse(parseJson(stdout, 'the answer of the reader'))
  } catch (error) {
    return { error: `its reader gave no answer: ${errorMessage(error)}` }
  }
}

const outOfMemory = `it needs more than ${processLimits.bytes / 1e6} MB`

/** The reader's process ends itself by SIGTERM and SIGKILL; V8 ends it by one of the others when its heap is full. */
const signalReasons: Partial<Record<NodeJS.Signals, string>> = {
  SIGTERM: `it takes longer than ${processLimits.seconds} s`,
  SIGKILL: outOfMemory,
  SIGABRT: outOfMemory,
  SIGTRAP: outOfMemory,
  SIGILL: outOfMemory,
}
