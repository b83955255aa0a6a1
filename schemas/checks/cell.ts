/** The check of one cell of a workbook. */
import * as z from 'zod'
import { inJsonSchema, outputPath, shared } from './shared.ts'

export const cellCheck = z
  .strictObject({
    type: z.literal('cell'),
    path: outputPath.describe('an Excel workbook (.xlsx), relative to the working folder'),
    sheet: z.string().min(1).optional().describe('name of the sheet; absent: the first'),
    cell: z
      .string()
      .regex(/^[A-Za-z]{1,3}[1-9]\d{0,6}$/, 'must be the address of a cell, such as B7')
      .describe('address of the cell, such as B7'),
    equals: z
      .union([z.string(), z.number(), z.boolean()], { error: 'must be a text, a number, true or false' })
      .optional()
      .describe('the value: a number, true or false, or a text (dates as 2026-01-15 or 2026-01-15T10:30:00)'),
    contains: z.string().min(1).optional().describe("a text that is part of the cell's text; instead of equals"),
    tolerance: z.number().nonnegative().optional().describe('allowed difference of a number; absent: 0'),
    ...shared,
  })
  .refine(({ equals, contains }) => (equals === undefined) !== (contains === undefined), {
    message: 'needs equals or contains',
  })
  .refine(({ equals, tolerance }) => tolerance === undefined || typeof equals === 'number', {
    path: ['tolerance'],
    message: 'only for a value that is a number',
  })
  .meta({
    ...inJsonSchema.oneOf('equals', 'contains'),
    allOf: [
      {
        anyOf: [
          { not: { required: ['tolerance'] } },
          { required: ['equals'], properties: { equals: { type: 'number' } } },
        ],
      },
    ],
  })
