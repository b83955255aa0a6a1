/** Checks of JSON and CSV data in an output file or the final answer. */
import * as z from 'zod'
import { answerOrPath, inJsonSchema, range, shared } from './shared.ts'

export const jsonPathCheck = z.strictObject({
  type: z.literal('json_path'),
  path: z.string().min(1).optional().describe('the JSON output file; absent: the final answer is the JSON'),
  query: z.string().min(1).describe('a JSONPath query (RFC 9535), such as $.items[0].total'),
  equals: z.json().optional().describe('the first match must equal this; absent: some match must exist'),
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
      .describe('a JSON Schema: 2020-12, or 2019-09 or draft-07 where its $schema says so'),
    file: z.string().min(1).optional().describe('that schema as a file, relative to the skill folder; or schema'),
    path: answerOrPath,
    ...shared,
  })
  .refine(({ schema, file }) => (schema === undefined) !== (file === undefined), { message: 'needs schema or file' })
  .meta(inJsonSchema.oneOf('schema', 'file'))

const cell = z.union([z.string(), z.number()], { error: 'must be a text or a number' })

const csvCells = z.strictObject({
  where: z
    .record(z.string().min(1), cell)
    .optional()
    .describe('column → cell of the rows that are meant; absent: every row'),
  column: z.string().min(1),
  equals: cell.describe('a text, or a number (1.50 is 1.5)'),
  tolerance: z.number().nonnegative().optional().describe('how far a number may be off; 0 if absent'),
})

export const csvCheck = z
  .strictObject({
    type: z.literal('csv'),
    path: answerOrPath,
    delimiter: z.string().length(1).optional().describe('a comma if absent'),
    columns: z.array(z.string().min(1)).min(1).optional().describe('the first line names these, among others'),
    rows: range.optional().describe('how many lines follow the first'),
    cells: z.array(csvCells).min(1).optional().describe('each: there are such rows, and all have this in the column'),
    ...shared,
  })
  .refine(({ columns, rows, cells }) => columns !== undefined || rows !== undefined || cells !== undefined, {
    message: 'needs columns, rows or cells',
  })
  .meta(inJsonSchema.anyOf('columns', 'rows', 'cells'))
