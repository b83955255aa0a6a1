/** Reads each document once in a grading, however many checks and judges look at it: a hostile one costs its limits only once. */
import { realpath } from 'node:fs/promises'
import { activeNow } from '../../../base/time/active_time.ts'
import { findDocumentReader, type Workbook } from './document_formats.ts'
import { type FileText, readFileText } from './read_file_text.ts'

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

/** Milliseconds after which no further document is opened. */
const longestMs = 120_000

/** Calls `take` for each file in order with what is read of it. Rejects as readFileText does. */
export async function readTextsInOrder(
  files: readonly NamedFile[],
  take: (name: string, text: FileText) => void,
  reading: DocumentReading,
): Promise<void> {
  const begun = activeNow()
  for (const one of files) {
    const isLate = isDocument(one) && activeNow() - begun > longestMs
    take(one.name, isLate ? tooLate : await readTextOnce(one, reading))
  }
}

const tooLate: FileText = { status: 'unreadable', reason: `the documents before it took ${longestMs / 1000} s` }

/** Texts by name; `unreadable`: a line for each document that can't be read. Other files are not read. */
export async function readDocuments(
  files: readonly NamedFile[],
  reading: DocumentReading,
): Promise<{ texts: Map<string, string>; unreadable: string[] }> {
  const texts = new Map<string, string>()
  const unreadable: string[] = []
  const take = (name: string, read: FileText) => {
    if (read.status !== 'text') unreadable.push(describeUnreadable(name, read))
    else if (read.document) texts.set(name, read.text)
  }
  await readTextsInOrder(files.filter(isDocument), take, reading)
  return { texts, unreadable }
}

function isDocument({ name }: NamedFile): boolean {
  return findDocumentReader(name) !== null
}

/** For example: report.xlsx could not be read: it is encrypted. */
export function describeUnreadable(name: string, read: Exclude<FileText, { status: 'text' }>): string {
  return `${name} could not be read: ${read.status === 'binary' ? 'it is not a text file' : read.reason}`
}
