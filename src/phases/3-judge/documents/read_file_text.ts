/** Reads a file as text: a text file in its encoding, a document by its reader. */
import { readFile, stat } from 'node:fs/promises'
import { decodeText } from './decode_text.ts'
import { findDocumentReader, isClosedFormat, isTextName, readEnding } from './document_formats.ts'
import type { DocumentAnswer, Workbook } from './workbook.ts'

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
  const reader = findDocumentReader(name)
  if (reader !== null && (await stat(file)).size > limits.bytes)
    return { status: 'unreadable', reason: `it is larger than ${limits.bytes / 2 ** 20} MiB` }
  const bytes = await readFile(file)
  if (reader !== null && !isPlainText(reader.format, bytes))
    return toFileText(await reader.read({ file, format: reader.format }, signal))
  const text = decodeText(bytes)
  if (text !== null) return { status: 'text', text, document: false }
  if (isClosedFormat(name)) return { status: 'unreadable', reason: `there is no reader for .${readEnding(name)} files` }
  return isTextName(name) ? { status: 'unreadable', reason: 'it is not text' } : { status: 'binary' }
}

/** Whether a text file has the name of a document, as a CSV file that is named report.xlsx. */
function isPlainText(format: string, bytes: Buffer): boolean {
  if (format === 'ipynb') return false
  if (format === 'pdf' && bytes.subarray(0, 1024).includes('%PDF-')) return false
  if (format !== 'pdf' && bytes.subarray(0, 2).toString('latin1') === 'PK') return false // cut so early that its bytes look like text
  return bytes.length > 0 && decodeText(bytes) !== null
}

function toFileText(read: DocumentAnswer): FileText {
  if ('missing' in read) return { status: 'no_reader', reason: read.missing }
  if ('error' in read) return { status: 'unreadable', reason: read.error }
  if (read.value.text.length > limits.characters)
    return { status: 'unreadable', reason: `its text is longer than ${limits.characters} characters` }
  return { status: 'text', document: true, ...read.value }
}
