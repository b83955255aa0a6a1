/** Reads a file as text: a text file in its encoding, a document by its reader. */
import { readFile, stat } from 'node:fs/promises'
import * as z from 'zod'
import { decodeText } from './decode_text.ts'
import { type DocumentFormat, findDocumentFormat, isClosedFormat, isNotebook, readEnding } from './document_formats.ts'
import { runDocumentReader } from './document_worker.ts'
import { readNotebookText } from './notebook_text.ts'

/** Bytes of a document, and characters of its text; nothing longer is searched. */
const limits = { bytes: 50 * 2 ** 20, characters: 20_000_000 }

/** Part of a grading's key; it changes when a file is read in another way. */
export const fileTextVersion = 1

/**
 * unreadable: it may have text, but cannot be read, and why. binary: a kind of file that has no text.
 * `document`: the text was extracted from a document.
 */
export type FileText =
  | { status: 'text'; text: string; document: boolean }
  | { status: 'unreadable'; reason: string }
  | { status: 'binary' }

/** `name` tells the kind of the file. Rejects only when aborted, or when the file is gone. */
export async function readFileText(file: string, name: string, signal: AbortSignal): Promise<FileText> {
  const format = findDocumentFormat(name)
  const large = format === null ? null : await findSizeMistake(file)
  if (large !== null) return { status: 'unreadable', reason: large }
  const bytes = await readFile(file)
  const text = decodeText(bytes)
  if (isNotebook(name)) return toFileText(text === null ? notText : readNotebookText(text, name))
  if (format !== null && !isPlainText(format, bytes)) return await readDocumentText({ file, format }, signal)
  if (text !== null) return { status: 'text', text, document: false }
  return isClosedFormat(name)
    ? { status: 'unreadable', reason: `there is no reader for .${readEnding(name)} files` }
    : { status: 'binary' }
}

/** Whether a text file has the name of a document, as a CSV file that is named report.xlsx. */
function isPlainText(format: DocumentFormat, bytes: Buffer): boolean {
  if (format === 'pdf' && bytes.subarray(0, 1024).includes('%PDF-')) return false
  if (format !== 'pdf' && bytes.subarray(0, 2).toString('latin1') === 'PK') return false // cut so early that its bytes look like text
  return bytes.length > 0 && decodeText(bytes) !== null
}

/** Why a document of this size is not read; null: it is. */
export async function findSizeMistake(file: string): Promise<string | null> {
  return (await stat(file)).size > limits.bytes ? `it is larger than ${limits.bytes / 2 ** 20} MiB` : null
}

const notText = { unreadable: 'it is not text' }

async function readDocumentText(
  { file, format }: { file: string; format: DocumentFormat },
  signal: AbortSignal,
): Promise<FileText> {
  const end = await runDocumentReader({ file, format, want: 'text' }, z.string(), signal)
  return toFileText('error' in end ? { unreadable: end.error } : { text: end.value })
}

function toFileText(read: { text: string } | { unreadable: string }): FileText {
  if ('unreadable' in read) return { status: 'unreadable', reason: read.unreadable }
  if (read.text.length > limits.characters)
    return { status: 'unreadable', reason: `its text is longer than ${limits.characters} characters` }
  return { status: 'text', text: read.text, document: true }
}
