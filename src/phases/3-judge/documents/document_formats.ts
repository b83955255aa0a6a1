/** The documents whose text can be read, by the ending of their names, and those that are known to have text that can't be. */
import path from 'node:path'

/** `packages`: what reads it, as arguments of npm install. */
const readable = {
  xlsx: { packages: 'exceljs jszip saxes', endings: ['xlsx', 'xlsm', 'xltx'] },
  docx: { packages: 'mammoth jszip saxes', endings: ['docx', 'docm', 'dotx'] },
  pptx: { packages: 'jszip saxes', endings: ['pptx', 'pptm', 'potx', 'ppsx'] },
  pdf: { packages: 'pdfjs-dist@4.9', endings: ['pdf'] },
  ipynb: { packages: '', endings: ['ipynb'] },
} as const

export type DocumentFormat = keyof typeof readable

const endings = new Map<string, DocumentFormat>()
for (const format of ['xlsx', 'docx', 'pptx', 'pdf', 'ipynb'] as const) {
  for (const ending of readable[format].endings) endings.set(ending, format)
}

/** Office formats without a reader, and archives: text in them can't be found by searching their bytes. */
const closed: ReadonlySet<string> = new Set(
  'xls xlsb doc ppt odt ods odp pages numbers key epub msg zip gz tgz bz2 xz zst 7z rar tar jar whl parquet'.split(' '),
)

/** Kinds of text: bytes that are not text are a broken file of such a name. Other binary files have no text. */
const texts: ReadonlySet<string> = new Set(
  'txt md markdown rst tex log csv tsv json jsonl ndjson yaml yml toml ini cfg conf env xml html htm svg css sql sh py js mjs cjs ts tsx jsx go rs rb java c h cpp cs php r diff patch'.split(
    ' ',
  ),
)

/** null: no document with a reader. */
export function findDocumentFormat(name: string): DocumentFormat | null {
  return endings.get(readEnding(name)) ?? null
}

/** Whether it has text by its kind, but no reader. */
export function isClosedFormat(name: string): boolean {
  return closed.has(readEnding(name))
}

/** Whether it is a text file by its name. */
export function isTextName(name: string): boolean {
  return texts.has(readEnding(name))
}

/** What to install to read the format. */
export function listReaderPackages(format: DocumentFormat): string {
  return readable[format].packages
}

/** The ending in lower case, without the dot. */
export function readEnding(name: string): string {
  return path.posix.extname(name).slice(1).toLowerCase()
}
