/** Reads the text of documents, each in a process of its own. */
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { errorMessage } from '../../base/errors/error.ts'
import { parseJson } from '../../base/json/json.ts'
import { type ProcessEnd, runProcess } from '../../base/process/spawn.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import type { DocumentReader } from '../../phases/3-judge/documents/document_formats.ts'
import { type DocumentAnswer, documentAnswer } from '../../phases/3-judge/documents/document_formats.ts'

/** What reads it, as arguments of npm install, and the endings of its names. */
const formats: Readonly<Record<string, { packages: string; endings: readonly string[] }>> = {
  xlsx: { packages: 'exceljs jszip saxes', endings: ['xlsx', 'xlsm', 'xltx'] },
  docx: { packages: 'mammoth jszip saxes', endings: ['docx', 'docm', 'dotx'] },
  pptx: { packages: 'jszip saxes', endings: ['pptx', 'pptm', 'potx', 'ppsx'] },
  pdf: { packages: 'pdfjs-dist@4.9', endings: ['pdf'] },
  ipynb: { packages: '', endings: ['ipynb'] },
}

export const documentReader: DocumentReader = {
  endings: Object.fromEntries(Object.entries(formats).map(([format, { endings }]) => [format, endings])),
  read: runDocumentReader,
}

/** Of one document: seconds of processor time, and bytes of the whole process. */
const processLimits = { seconds: 5, bytes: 512e6 }

/** Milliseconds in which a machine has to give the process those seconds. */
const longestMs = 60_000

/** Characters of what a reader prints: its text, and the cells of a workbook. */
const longestAnswer = 64 * 2 ** 20

const program = fileURLToPath(new URL('./readers/main.mjs', import.meta.url))

async function runDocumentReader(
  { file, format }: { file: string; format: string },
  signal: AbortSignal,
): Promise<DocumentAnswer> {
  using limit = startTimeLimit(longestMs, [signal])
  try {
    const job = JSON.stringify({ file, format, packages: formats[format]?.packages, limits: processLimits })
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
    return documentAnswer.parse(parseJson(stdout, 'the answer of the reader'))
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
