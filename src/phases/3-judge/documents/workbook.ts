/** What is read of a document: its text, and the sheets of a workbook with their cells and rows. */
import * as z from 'zod'

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
