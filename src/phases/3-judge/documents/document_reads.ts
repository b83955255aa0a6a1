/** Reads each document once in a grading, however many checks look at it: a reader takes half a second to start. */
import { findDocumentFormat } from './document_formats.ts'
import type { NamedFile } from './read_documents.ts'
import { type FileText, readFileText } from './read_file_text.ts'
import { readWorkbook } from './workbook.ts'

/** What was read of each document, by its absolute path. */
export interface DocumentReads {
  texts: Map<string, Promise<FileText>>
  workbooks: Map<string, ReturnType<typeof readWorkbook>>
}

export function createDocumentReads(): DocumentReads {
  return { texts: new Map(), workbooks: new Map() }
}

interface Grading {
  documents: DocumentReads
  signal: AbortSignal
}

/** Text files are read again each time, so that they do not stay in memory. Rejects only when aborted, or when the file is gone. */
export async function readTextOnce({ file, name }: NamedFile, { documents, signal }: Grading): Promise<FileText> {
  if (findDocumentFormat(name) === null) return await readFileText(file, name, signal)
  const reading = documents.texts.get(file) ?? readFileText(file, name, signal)
  documents.texts.set(file, reading)
  return await reading
}

/** Rejects only when aborted, or when the file is gone. */
export async function readWorkbookOnce(book: NamedFile, { documents, signal }: Grading) {
  const reading = documents.workbooks.get(book.file) ?? readWorkbook(book, signal)
  documents.workbooks.set(book.file, reading)
  return await reading
}
