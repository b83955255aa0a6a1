/** Parameters that several kinds of checks share. */
import * as z from 'zod'

/** A refinement's rule about the fields of an object, as JSON Schema: zod does not convert refinements. */
export const inJsonSchema = {
  anyOf: (...names: readonly string[]) => ({ anyOf: names.map((name) => ({ required: [name] })) }),
  oneOf: (...names: readonly string[]) => ({ oneOf: names.map((name) => ({ required: [name] })) }),
}

const weight = z
  .number()
  .positive()
  .optional()
  .describe('weight in the pass rate of a run, relative to the other criteria; absent: 1')

/** Every check has these. */
export const shared = {
  weight,
  reward: z
    .boolean()
    .optional()
    .describe('true: this check alone rates a run; the other criteria are shown as diagnostics, outside every rate'),
  text: z.string().min(1).optional().describe('the statement in plain words; absent: derived from the parameters'),
  indicator: z
    .boolean()
    .optional()
    .describe(
      'true: by construction only the arm with the skill can meet it, so it is shown but left out of the lift. false: counted, whatever its wording',
    ),
}

/** Parameters of checks that only the arm with the skill can meet: they are indicators, whether they say so or not. */
export const indicatorOnly = {
  text: shared.text,
  weight,
  indicator: z
    .boolean()
    .refine((value) => value, 'only the arm with the skill can meet this check, so it is always an indicator')
    .meta({ const: true })
    .optional()
    .describe('always true'),
}

export const textTarget = {
  target: z
    .enum(['answer', 'outputs', 'answer_or_outputs', 'transcript'])
    .optional()
    .describe('where to look: the final answer (default), any text output file, either of them, or the transcript'),
  path: z.string().min(1).optional().describe('search this output file instead (relative to the working folder)'),
  ignore_case: z.boolean().optional(),
}

/** Only for the final answer, so without a path or another target. */
export const answerTurn = z
  .number()
  .int()
  .positive()
  .optional()
  .describe('look at the answer to this message of the user, 1 is the prompt; absent: at the final answer')

export const outputPath = z.string().min(1).describe('relative to the working folder')
export const answerOrPath = z.string().min(1).optional().describe('output file to check; absent: the final answer')

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
