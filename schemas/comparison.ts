/** `comparison-N.json`: a blind A/B verdict. */
import { z } from 'zod'

const score = z.number().min(1).max(5)
const side = z.looseObject({
  content: z.record(z.string(), score),
  structure: z.record(z.string(), score),
  content_score: z.number(),
  structure_score: z.number(),
  overall_score: z.number().describe('2 to 10'),
})
const quality = z.looseObject({ score: z.number(), strengths: z.array(z.string()), weaknesses: z.array(z.string()) })
const results = z.looseObject({
  passed: z.number().int(),
  total: z.number().int(),
  pass_rate: z.number(),
  details: z.array(z.looseObject({ text: z.string(), passed: z.boolean() })),
})

export const comparison = z.looseObject({
  winner: z.enum(['A', 'B', 'TIE']),
  reasoning: z.string(),
  rubric: z.looseObject({ A: side, B: side }),
  output_quality: z.looseObject({ A: quality, B: quality }),
  expectation_results: z.looseObject({ A: results, B: results }).optional(),
})

export type Comparison = z.infer<typeof comparison>
