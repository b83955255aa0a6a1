/** A rubric: dimensions that a judge scores from 1 to 5, their weights, the score that passes, and what fails regardless of the scores. */
import * as z from 'zod'
import { lookedUp } from './evidence.ts'

const name = z
  .string()
  .max(60)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} _-]*$/u, 'must be letters, digits, spaces, - and _')

const anchors = z
  .strictObject({
    '1': z.string().min(1).optional(),
    '2': z.string().min(1).optional(),
    '3': z.string().min(1).optional(),
    '4': z.string().min(1).optional(),
    '5': z.string().min(1).optional(),
  })
  .describe('what a result needs for each score')

const dimension = z.strictObject({
  name,
  weight: z.number().positive().describe('relative to the others; they need not sum to 100'),
  description: z.string().min(1).optional().describe('what the judge looks at'),
  anchors: anchors.optional(),
})

/** The normal form of a name: `Persona fidelity`, `persona-fidelity` and `persona_fidelity` are the same dimension. */
export function dimensionKey(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_')
}

export const rubric = z.strictObject({
  dimensions: z
    .array(dimension)
    .min(1)
    .max(20)
    .refine((all) => new Set(all.map((one) => dimensionKey(one.name))).size === all.length, {
      message: 'two dimensions have the same name',
    }),
  threshold: z.number().min(1).max(5).optional().describe('the weighted score needed to pass; absent: 4'),
  hard_fails: z
    .array(z.string().min(1))
    .max(20)
    .optional()
    .describe('conditions that fail the rubric regardless of the scores; the judge says which occurred'),
})

/** The result of a rubric, as in grading.json. Whetstone computes the weighted score and the verdict. */
export const rubricResult = z.looseObject({
  dimensions: z.array(
    z.looseObject({
      name: z.string(),
      weight: z.number(),
      score: z.number().int().min(1).max(5),
      justification: z.string(),
      ...lookedUp,
    }),
  ),
  hard_fails: z
    .array(z.looseObject({ text: z.string(), evidence: z.string(), ...lookedUp }))
    .describe('hard fails that occurred'),
  weighted_score: z.number().min(1).max(5).describe('Σ weight × score ÷ Σ weight, two decimals'),
  threshold: z.number(),
  passed: z.boolean().describe('no hard fail, and the score before rounding reaches the threshold'),
})

export type Rubric = z.infer<typeof rubric>
export type RubricResult = z.infer<typeof rubricResult>
