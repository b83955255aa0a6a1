/** Reads cells and rows of a delivered workbook. */
import * as z from 'zod'
import { findDocumentFormat } from './document_formats.ts'
import { type DocumentPart, runDocumentReader } from './document_worker.ts'
import { findSizeMistake } from './read_file_text.ts'

const cellFound = z.object({
  /** Names of all sheets. */
  sheets: z.array(z.string()),
  /** The sheet of the cell; null: there is no such sheet. */
  sheet: z.string().nullable(),
  /** uncalculated: a formula without a saved result. */
  kind: z.enum(['empty', 'number', 'boolean', 'date', 'text', 'uncalculated']).optional(),
  text: z.string().default(''),
  number: z.number().optional(),
})

export type WorkbookCell = z.infer<typeof cellFound>

const rowsFound = z.array(z.array(z.string()))

interface WorkbookFile {
  /** Absolute. */
  file: string
  /** Tells the format. */
  name: string
}

/** Reads one cell; of the first sheet if `sheet` is absent. `unreadable`: why not. Rejects only when aborted. */
export async function readWorkbookCell(
  book: WorkbookFile,
  place: { sheet?: string | undefined; cell: string },
  signal: AbortSignal,
): Promise<WorkbookCell | { unreadable: string }> {
  return await readPart({ ...book, want: { as: 'cell', ...place } }, cellFound, signal)
}

/** Reads the rows of the first sheet that have cells, as texts. Rejects only when aborted. */
export async function readWorkbookRows(
  book: WorkbookFile,
  signal: AbortSignal,
): Promise<string[][] | { unreadable: string }> {
  return await readPart({ ...book, want: { as: 'rows' } }, rowsFound, signal)
}

async function readPart<S extends z.ZodType>(
  { file, name, want }: WorkbookFile & { want: DocumentPart },
  schema: S,
  signal: AbortSignal,
): Promise<z.infer<S> | { unreadable: string }> {
  if (findDocumentFormat(name) !== 'xlsx') return { unreadable: 'it is not an .xlsx workbook' }
  const large = await findSizeMistake(file)
  if (large !== null) return { unreadable: large }
  const end = await runDocumentReader({ file, format: 'xlsx', want }, schema, signal)
  return 'error' in end ? { unreadable: end.error } : end.value
}
