/** Reads the texts of all documents among some files, within a time limit for all. */
import { activeNow } from '../../../base/time/active_time.ts'
import { findDocumentReader } from './document_formats.ts'
import { type DocumentReading, type NamedFile, readTextOnce } from './document_reads.ts'
import type { FileText } from './read_file_text.ts'

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
