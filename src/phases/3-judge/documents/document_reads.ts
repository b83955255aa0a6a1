/** Reads each document once in a grading, however many checks and judges look at it: a hostile one costs its limits only once. */
import { realpath } from 'node:fs/promises'
import { findDocumentReader } from './document_formats.ts'
import { type FileText, readFileText } from './read_file_text.ts'
import type { Workbook } from './workbook.ts'

export interface NamedFile {
  /** Tells the kind of the file. */
  name: string
  /** Absolute. */
  file: string
}

/** What was read of each document, by its absolute path without links. */
export type DocumentReads = Map<string, Promise<FileText>>

export function createDocumentReads(): DocumentReads {
  return new Map()
}

export interface DocumentReading {
  /** Absent: none were read before. */
  documents?: DocumentReads | undefined
  signal: AbortSignal
}

/** Text files are read again each time, so that they do not stay in memory. Rejects as readFileText does. */
export async function readTextOnce(
  { file, name }: NamedFile,
  { documents = createDocumentReads(), signal }: DocumentReading,
): Promise<FileText> {
  if (findDocumentReader(name) === null) return await readFileText(file, name, signal)
  const real = await realpath(file)
  const reading = documents.get(real) ?? readFileText(real, name, signal)
  documents.set(real, reading)
  return await reading
}

type Unread = Exclude<FileText, { status: 'text' }>

/** The sheets of a workbook, or why there are none. Rejects as readFileText does. */
export async function readWorkbookOnce(
  book: NamedFile,
  reading: DocumentReading,
): Promise<{ sheets: Workbook } | Unread> {
  const read = await readTextOnce(book, reading)
  if (read.status !== 'text') return read
  return read.sheets === undefined
    ? { status: 'unreadable', reason: 'it is not an .xlsx workbook' }
    : { sheets: read.sheets }
}
