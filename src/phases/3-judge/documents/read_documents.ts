/** Reads the texts of all documents among some files, within a time limit for all. */
import { activeNow } from '../../../base/time/active_time.ts'
import { describeUnreadable } from './describe_unreadable.ts'
import { isDocument } from './document_formats.ts'
import { type FileText, readFileText } from './read_file_text.ts'

export interface NamedFile {
  /** Tells the kind of the file. */
  name: string
  /** Absolute. */
  file: string
}

/** Milliseconds after which no further document is opened. */
const longestMs = 120_000

/** Calls `take` for each file in order with what `read` gives. Rejects as `read` does. */
export async function readTextsInOrder(
  files: readonly NamedFile[],
  take: (name: string, text: FileText) => void,
  read: (file: NamedFile) => Promise<FileText>,
): Promise<void> {
  const begun = activeNow()
  for (const one of files) {
    const isLate = isDocument(one.name) && activeNow() - begun > longestMs
    take(one.name, isLate ? tooLate : await read(one))
  }
}

const tooLate: FileText = { status: 'unreadable', reason: `the documents before it took ${longestMs / 1000} s` }

/** Texts by name; `unreadable`: a line for each document that can't be read. Other files are not read. */
export async function readDocuments(
  files: readonly NamedFile[],
  signal: AbortSignal,
): Promise<{ texts: Map<string, string>; unreadable: string[] }> {
  const texts = new Map<string, string>()
  const unreadable: string[] = []
  const take = (name: string, read: FileText) => {
    if (read.status === 'unreadable') unreadable.push(describeUnreadable(name, read))
    else if (read.status === 'text' && read.document) texts.set(name, read.text)
  }
  await readTextsInOrder(
    files.filter(({ name }) => isDocument(name)),
    take,
    ({ file, name }) => readFileText(file, name, signal),
  )
  return { texts, unreadable }
}
