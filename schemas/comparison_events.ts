/** Events of blind comparisons. */
import * as z from 'zod'

export const comparisonPlanned = z.object({
  type: z.literal('comparison_planned'),
  folder: z.string().describe('folder that receives the verdicts'),
  a: z.string(),
  b: z.string(),
  judge: z.string(),
  pairs: z.number().int(),
  done: z.number().int().describe('pairs already judged, which are kept'),
  skipped: z.array(
    z.object({ eval_id: z.number().int(), eval_name: z.string(), number: z.number().int(), reason: z.string() }),
  ),
  choices: z.array(z.string()),
})

export const comparisonAnalyzed = z.object({
  type: z.literal('comparison_analyzed'),
  eval_id: z.number().int(),
  eval_name: z.string(),
  number: z.number().int(),
  error: z.string().nullable(),
  cached: z.boolean().describe('true: analyzed earlier, no model was asked'),
})

export const pairJudged = z.object({
  type: z.literal('pair_judged'),
  eval_id: z.number().int(),
  eval_name: z.string(),
  number: z.number().int().describe('the N of comparison-N.json'),
  winner: z.string().nullable().describe('the side, or tie; null: the judge failed'),
  flips: z.number().int(),
  error: z.string().nullable(),
  cost_usd: z.number().nullable(),
  cached: z.boolean().describe('true: judged earlier, no judge was asked'),
})
