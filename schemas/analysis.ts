/** `analysis.json`: why the winner of a blind comparison won, by a model that knows which arm is which. */
import * as z from 'zod'
import { asked } from './asked.ts'

const following = z.looseObject({ score: z.number(), issues: z.array(z.string()) })

export const analysis = z.looseObject({
  comparison_summary: z.looseObject({
    winner: z.enum(['A', 'B', 'TIE']),
    winner_skill: z.string(),
    loser_skill: z.string(),
    comparator_reasoning: z.string(),
  }),
  winner_strengths: z.array(z.string()),
  loser_weaknesses: z.array(z.string()),
  instruction_following: z.looseObject({ winner: following, loser: following }),
  improvement_suggestions: z.array(
    z.looseObject({
      priority: z.string().describe('high, medium or low'),
      category: z.string(),
      suggestion: z.string(),
      expected_impact: z.string(),
    }),
  ),
  transcript_insights: z.looseObject({
    winner_execution_pattern: z.string(),
    loser_execution_pattern: z.string(),
  }),
  schema_version: z.literal(1).optional(),
  comparison: z.number().int().optional().describe('the N of the comparison-N.json that it explains'),
  analyzer: asked.optional(),
  analyzed_key: z
    .string()
    .optional()
    .describe('sha256 of the comparison and the model; identical questions are not asked twice'),
})

export type Analysis = z.infer<typeof analysis>
