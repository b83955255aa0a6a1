/** Checks of JSON and CSV data in an output file or the final answer. */
import * as z from 'zod'
import { answerOrPath, inJsonSchema, range, shared } from './shared.ts'

export const jsonPathCheck = z.strictObject({
  type: z.literal('json_path'),
  path: z.string().min(1).optional().describe('JSON output file; absent: the final answer'),
  query: z.string().min(1).describe('a JSONPath query (RFC 9535), such as $.items[0].total'),
  equals: z.json().optional().describe('value that the first match must equal; absent: any match is enough'),
  ...shared,
})

export const jsonSchemaCheck = z
  .strictObject({
    type: z.literal('json_schema'),
    schema: z
      .union([z.boolean(), z.record(z.string(), z.json())], {
        error: 'must be a JSON Schema: an object, true or false',
      })
      .optional()
      .describe('a JSON Schema: 2020-12, or 2019-09 or draft-07 if its $schema says so'),
    file: z
      .string()
      .min(1)
      .optional()
      .describe('file with the schema, relative to the skill folder; instead of schema'),
    path: answerOrPath,
    ...shared,
  })
  .refine(({ schema, file }) => (schema === undefined) !== (file === undefined), { message: 'needs schema or file' })
  .meta(inJsonSchema.oneOf('schema', 'file'))

const cell = z.union([z.string(), z.number()], { error: 'must be a text or a number' })

const csvCells = z.strictObject({
  where: z.record(z.string().min(1), cell).optional().describe('selects rows: column → value; absent: every row'),
  column: z.string().min(1),
  equals: cell.describe('a text, or a number (1.50 is 1.5)'),
  tolerance: z.number().nonnegative().optional().describe('allowed difference of a number; absent: 0'),
})

export const csvCheck = z
  .strictObject({
    type: z.literal('csv'),
    path: answerOrPath,
    delimiter: z.string().length(1).optional().describe('absent: a comma'),
    columns: z.array(z.string().min(1)).min(1).optional().describe('columns that the header line must contain'),
    rows: range.optional().describe('number of lines after the header'),
    cells: z
      .array(csvCells)
      .min(1)
      .optional()
      .describe('each entry: at least one row is selected, and all selected rows have this value in the column'),
    ...shared,
  })
  .refine(({ columns, rows, cells }) => columns !== undefined || rows !== undefined || cells !== undefined, {
    message: 'needs columns, rows or cells',
  })
  .meta(inJsonSchema.anyOf('columns', 'rows', 'cells'))
