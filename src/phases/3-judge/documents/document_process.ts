/** Runs a document's reader in a process of its own, with limits of time and memory that the system keeps. */
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { errorMessage } from '../../../base/errors/error.ts'
import { parseJson } from '../../../base/json/json.ts'
import { type ProcessEnd, runProcess } from '../../../base/process/spawn.ts'
import { startTimeLimit } from '../../../base/time/time_limit.ts'
import { type DocumentFormat, listReaderPackages } from './document_formats.ts'
import { workbook } from './workbook.ts'

/** Of one document: seconds of processor time, and bytes of the whole process. */
const limits = { seconds: 5, bytes: 512e6 }

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
export type DocumentAnswer = z.infer<typeof answer>

/** `file`: absolute. Rejects only when aborted, or when the machine is low on a resource. */
export async function runDocumentReader(
  { file, format }: { file: string; format: DocumentFormat },
  signal: AbortSignal,
): Promise<DocumentAnswer> {
  using limit = startTimeLimit(longestMs, [signal])
  try {
    const job = JSON.stringify({ file, format, packages: listReaderPackages(format), limits })
    const end = await runProcess({
      command: process.execPath,
      args: [`--max-old-space-size=${limits.bytes / 1e6}`, program, job],
      cwd: tmpdir(),
      env: {},
      signal: limit.signal,
      stdoutLimit: longestAnswer,
    })
    return readAnswer(end)
  } catch (error) {
    signal.throwIfAborted()
    if (!limit.signal.aborted) throw error
    return { missing: `this machine gave its reader less than ${limits.seconds} s of work in ${longestMs / 1000} s` }
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

const outOfMemory = `it needs more than ${limits.bytes / 1e6} MB`

/** The reader's process ends itself by SIGTERM and SIGKILL; V8 ends it by one of the others when its heap is full. */
const signalReasons: Partial<Record<NodeJS.Signals, string>> = {
  SIGTERM: `it takes longer than ${limits.seconds} s`,
  SIGKILL: outOfMemory,
  SIGABRT: outOfMemory,
  SIGTRAP: outOfMemory,
  SIGILL: outOfMemory,
}
