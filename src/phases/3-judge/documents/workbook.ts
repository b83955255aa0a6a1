/** Reads the sheets of a delivered workbook, and finds cells and rows in them. */
import * as z from 'zod'
import { findDocumentFormat } from './document_formats.ts'
import { runDocumentReader } from './document_worker.ts'
import type { NamedFile } from './read_documents.ts'
import { findSizeMistake } from './read_file_text.ts'

const workbookCell = z.object({
  /** Such as B7. */
  address: z.string(),
  /** From 1. */
  column: z.number(),
  /** uncalculated: a formula without a saved result. */
  kind: z.enum(['empty', 'number', 'boolean', 'date', 'text', 'uncalculated']),
  text: z.string(),
  number: z.number().optional(),
})

/** Sheets in their order, with the rows that have cells. */
const workbook = z.array(z.object({ name: z.string(), rows: z.array(z.array(workbookCell)) }))

export type WorkbookCell = z.infer<typeof workbookCell>
export type Workbook = z.infer<typeof workbook>

/** `unreadable`: why not. Rejects only when aborted, or when the file is gone. */
export async function readWorkbook(
  { file, name }: NamedFile,
  signal: AbortSignal,
): Promise<{ sheets: Workbook } | { unreadable: string }> {
  if (findDocumentFormat(name) !== 'xlsx') return { unreadable: 'it is not an .xlsx workbook' }
  const large = await findSizeMistake(file)
  if (large !== null) return { unreadable: large }
  const end = await runDocumentReader({ file, format: 'xlsx', want: 'sheets' }, workbook, signal)
  return 'error' in end ? { unreadable: end.error } : { sheets: end.value }
}

/** A cell without a value is an empty one. */
export function findCell({ rows }: Workbook[number], address: string): WorkbookCell {
  const cell = rows.flat().find((one) => one.address === address)
  return cell ?? { address, column: 0, kind: 'empty', text: '' }
}

/** The rows of the first sheet that have cells, each as texts from its first column on. */
export function listFirstRows([first]: Workbook): string[][] {
  return (first?.rows ?? []).map((cells) => {
    const texts: string[] = []
    for (const { column, text } of cells) texts[column - 1] = text
    return Array.from(texts, (text) => text ?? '')
  })
}
