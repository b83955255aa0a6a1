/** Checks of a text: the final answer, an output file or the transcript. */
import * as z from 'zod'
import { answerOrPath, answerTurn, inJsonSchema, shared, textTarget } from './shared.ts'

export const containsCheck = z.strictObject({
  type: z.literal('contains'),
  value: z.string().min(1),
  ...textTarget,
  turn: answerTurn,
  ...shared,
})

export const notContainsCheck = z.strictObject({
  type: z.literal('not_contains'),
  value: z.string().min(1),
  ...textTarget,
  turn: answerTurn,
  ...shared,
})

export const regexCheck = z.strictObject({
  type: z.literal('regex'),
  pattern: z.string().min(1).describe('JavaScript regular expression, without slashes'),
  flags: z
    .string()
    .regex(/^[imsu]*$/, 'flags may be i, m, s, u')
    .optional(),
  absent: z.boolean().optional().describe('true: the expression must match nowhere'),
  target: textTarget.target,
  path: textTarget.path,
  turn: answerTurn,
  ...shared,
})

export const equalsCheck = z
  .strictObject({
    type: z.literal('equals'),
    value: z
      .json()
      .describe('a text (compared without white space at both ends), a number, or JSON with equal content'),
    path: answerOrPath,
    ignore_case: z.boolean().optional().describe('for a text only'),
    tolerance: z.number().nonnegative().optional().describe('for a number only: allowed difference; absent: 0'),
    turn: answerTurn,
    ...shared,
  })
  .refine(({ value, ignore_case }) => ignore_case === undefined || typeof value === 'string', {
    path: ['ignore_case'],
    message: 'only for a value that is text',
  })
  .refine(({ value, tolerance }) => tolerance === undefined || typeof value === 'number', {
    path: ['tolerance'],
    message: 'only for a value that is a number',
  })
  .meta({
    allOf: [
      { anyOf: [{ not: { required: ['ignore_case'] } }, { properties: { value: { type: 'string' } } }] },
      { anyOf: [{ not: { required: ['tolerance'] } }, { properties: { value: { type: 'number' } } }] },
    ],
  })

export const similarityCheck = z
  .strictObject({
    type: z.literal('similarity'),
    value: z.string().min(1).optional().describe('the reference text'),
    file: z
      .string()
      .min(1)
      .optional()
      .describe('file with the reference text, relative to the skill folder; instead of value'),
    at_least: z.number().gt(0).max(1).describe('from 0 (nothing in common) to 1 (the same)'),
    algorithm: z
      .enum(['words', 'rouge_l', 'levenshtein'])
      .optional()
      .describe('words (default): share of words in common; rouge_l: in the same order; levenshtein: characters'),
    path: answerOrPath,
    ignore_case: z.boolean().optional(),
    turn: answerTurn,
    ...shared,
  })
  .refine(({ value, file }) => (value === undefined) !== (file === undefined), { message: 'needs value or file' })
  .meta(inJsonSchema.oneOf('value', 'file'))
