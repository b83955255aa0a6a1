/** The documents whose text can be read, by the ending of their names, those that are known to have text that can't be, and what is read of them. */
import path from 'node:path'
import * as z from 'zod'

export interface DocumentReader {
  /** Of the names of files, without the dot, by format. */
  endings: Readonly<Record<string, readonly string[]>>
  /** `file`: absolute. Rejects only when aborted, or when the machine is low on a resource. */
  read(document: { file: string; format: string }, signal: AbortSignal): Promise<DocumentAnswer>
}

const endings = new Map<string, { format: string; read: DocumentReader['read'] }>()

/** Adds those of features; again changes nothing. */
export function addDocumentReaders(more: Readonly<Record<string, DocumentReader>>): void {
  for (const { endings: own, read } of Object.values(more))
    for (const [format, all] of Object.entries(own)) for (const ending of all) endings.set(ending, { format, read })
}

/** Office formats without a reader, and archives: text in them can't be found by searching their bytes. */
const closed: ReadonlySet<string> = new Set(
  'xlsx xlsm xltx xls xlsb docx docm dotx doc pptx pptm potx ppsx ppt pdf odt ods odp pages numbers key epub msg zip gz tgz bz2 xz zst 7z rar tar jar whl parquet'.split(
    ' ',
  ),
)

/** Kinds of text: bytes that are not text are a broken file of such a name. Other binary files have no text. */
const texts: ReadonlySet<string> = new Set(
  'txt md markdown rst tex log csv tsv json jsonl ndjson yaml yml toml ini cfg conf env xml html htm svg css sql sh py js mjs cjs ts tsx jsx go rs rb java c h cpp cs php r diff patch'.split(
    ' ',
  ),
)

/** null: no document with a reader. */
export function findDocumentReader(name: string) {
  return endings.get(readEnding(name)) ?? null
}

/** Whether it has text by its kind, but no reader. */
export function isClosedFormat(name: string): boolean {
  return closed.has(readEnding(name))
}

export function isTextName(name: string): boolean {
  return texts.has(readEnding(name))
}

/** The ending in lower case, without the dot. */
export function readEnding(name: string): string {
  return path.posix.extname(name).slice(1).toLowerCase()
}

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

/** What a reader tells of a document; a workbook has sheets. */
export const documentAnswer = z.union([
  z.object({ value: z.object({ text: z.string(), sheets: workbook.optional() }) }),
  z.object({ error: z.string() }),
  z.object({ missing: z.string() }),
])

/** `error`: why the document can't be read. `missing`: what the machine lacks to read it. */
export type DocumentAnswer = z.infer<typeof documentAnswer>

/** A cell without a value is an empty one. */
export function findCell({ rows }: Workbook[number], address: string): WorkbookCell {
  for (const row of rows) for (const cell of row) if (cell.address === address) return cell
  return { address, column: 0, kind: 'empty', text: '' }
}

/** The rows of the first sheet that have cells, each as texts from its first column on. */
export function listFirstRows([first]: Workbook): string[][] {
  return (first?.rows ?? []).map((cells) => {
    const texts: string[] = []
    for (const { column, text } of cells) texts[column - 1] = text
    return Array.from(texts, (text) => text ?? '')
  })
}
