/** Parameters that checks of several kinds share. */
import { z } from 'zod'

/** What a refinement says of the fields of an object, in the words of JSON Schema: zod does not write refinements down. */
export const inJsonSchema = {
  anyOf: (...names: readonly string[]) => ({ anyOf: names.map((name) => ({ required: [name] })) }),
  oneOf: (...names: readonly string[]) => ({ oneOf: names.map((name) => ({ required: [name] })) }),
}

/** Every check has these. */
export const shared = {
  text: z
    .string()
    .min(1)
    .optional()
    .describe('the statement as a person reads it; written from the parameters if absent'),
  indicator: z
    .boolean()
    .optional()
    .describe(
      'true: only the arm with the skill can meet it by construction; shown, left out of the lift. false: counted, whatever its words',
    ),
}

/** Of checks that only the arm with the skill can meet: indicators, whether they say so or not. */
export const indicatorOnly = {
  text: shared.text,
  indicator: z
    .boolean()
    .refine((value) => value, 'only the arm with the skill can meet this check: it is always an indicator')
    .meta({ const: true })
    .optional()
    .describe('always so'),
}

export const textTarget = {
  target: z
    .enum(['answer', 'outputs', 'transcript'])
    .optional()
    .describe('where to look: the final answer (default), any text output file, or the transcript'),
  path: z.string().min(1).optional().describe('look in this output file instead (relative to the working folder)'),
  ignore_case: z.boolean().optional(),
}

export const outputPath = z.string().min(1).describe('relative to the working folder')
export const answerOrPath = z.string().min(1).optional().describe('this output file; absent: the final answer')

/** How many (or how much): `equals`, or `min` and `max`, both included. */
export const range = z
  .strictObject({
    min: z.number().nonnegative().optional(),
    max: z.number().nonnegative().optional(),
    equals: z.number().nonnegative().optional(),
  })
  .refine(({ min, max, equals }) => (equals === undefined) === (min !== undefined || max !== undefined), {
    message: 'needs min, max or both; or equals alone',
  })
  .refine(({ min = 0, max = Number.POSITIVE_INFINITY }) => min <= max, { message: 'min is above max' })
  .meta({ oneOf: [{ required: ['equals'] }, inJsonSchema.anyOf('min', 'max')] })

export type Range = z.infer<typeof range>
