/** `comparison-N.json`: a blind A/B verdict, asked in both orders. skill-creator's fields exactly, plus Whetstone's own. */
import * as z from 'zod'
import { asked } from './asked.ts'

const score = z.number().min(1).max(5)
const count = z.number().int().nonnegative()

export const comparisonWinner = z.enum(['A', 'B', 'TIE'])

export const comparedSide = z.looseObject({
  content: z.record(z.string(), score),
  structure: z.record(z.string(), score),
  content_score: z.number().describe('mean of the content scores, one decimal'),
  structure_score: z.number(),
  overall_score: z.number().describe('their sum, 2 to 10'),
})
export const comparedQuality = z.looseObject({
  score: z.number().describe('the overall score, rounded to a whole number'),
  strengths: z.array(z.string()),
  weaknesses: z.array(z.string()),
})
export const comparedResults = z.looseObject({
  passed: z.number().int(),
  total: z.number().int(),
  pass_rate: z.number(),
  details: z.array(z.looseObject({ text: z.string(), passed: z.boolean() })),
})

/** The name of a criterion, and what it means for this task. */
export const criterion = z.object({ name: z.string(), meaning: z.string() })

export const criteria = z.object({
  chosen_by: z.enum(['judge', 'usual']).describe('judge: written by the judge for this task before it saw any output'),
  content: z.array(criterion),
  structure: z.array(criterion),
})

const judgement = z.object({
  shown_first: z.enum(['A', 'B']),
  winner: comparisonWinner,
  reasoning: z.string(),
  overall_score: z.object({ A: z.number(), B: z.number() }),
  contradicts_scores: z.boolean(),
})

const length = z.object({
  response_chars: count,
  files: count,
  bytes: count.describe('total size of the files'),
})

const origin = z.object({
  configuration: z.string().describe('the arm; the folder if there is no arm'),
  run: z.string().describe('the folder of the run'),
})

export const comparison = z.looseObject({
  winner: comparisonWinner,
  reasoning: z.string(),
  rubric: z.looseObject({ A: comparedSide, B: comparedSide }),
  output_quality: z.looseObject({ A: comparedQuality, B: comparedQuality }),
  expectation_results: z.looseObject({ A: comparedResults, B: comparedResults }).optional(),
  schema_version: z.literal(1).optional(),
  sides: z.object({ A: origin, B: origin }).optional().describe('which run each side was; hidden from the judge'),
  criteria: criteria.optional(),
  seed: z.number().int().optional().describe('seed for the order of the first judgement'),
  order: z
    .array(z.enum(['A', 'B']))
    .optional()
    .describe('side shown first in each judgement'),
  flips: z
    .number()
    .int()
    .min(0)
    .max(1)
    .optional()
    .describe('1: the two judgements differ, so the pair counts as a tie'),
  judgements: z.array(judgement).optional(),
  contradicts_scores: z.boolean().optional().describe('true: the winner has the lower overall score'),
  lengths: z.object({ A: length, B: length }).optional(),
  judge: asked.optional(),
  compared_key: z
    .string()
    .optional()
    .describe('sha256 of everything judged and of the judge; identical questions are not asked twice'),
})

/** `comparison_error-N.json`: a pair that no judge could decide; removed once it is judged. */
export const comparisonError = z.object({
  schema_version: z.literal(1),
  sides: z.object({ A: origin, B: origin }),
  reason: z.string(),
  at: z.iso.datetime(),
})

export type Comparison = z.infer<typeof comparison>
export type ComparedSide = z.infer<typeof comparedSide>
export type ComparedResults = z.infer<typeof comparedResults>
export type ComparisonError = z.infer<typeof comparisonError>
export type Criteria = z.infer<typeof criteria>
