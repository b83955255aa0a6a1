/** `timing.json`: wall clock and tokens of a run. Durations of the executor are those of run.json; grading adds its own. */
import { z } from 'zod'

export const timing = z.looseObject({
  total_tokens: z
    .number()
    .nonnegative()
    .optional()
    .describe('input + output + cache read + cache write; absent: unknown'),
  duration_ms: z.number().nonnegative().optional().describe('the agent, in milliseconds'),
  total_duration_seconds: z.number().nonnegative().optional().describe('the agent, in seconds'),
  total_cost_usd: z.number().nonnegative().optional().describe("other tools'; ours is in run.json"),
  executor_start: z.string().optional(),
  executor_end: z.string().optional(),
  executor_duration_seconds: z.number().nonnegative().optional(),
  grader_start: z.string().optional(),
  grader_end: z.string().optional(),
  grader_duration_seconds: z.number().nonnegative().optional(),
})

export type Timing = z.infer<typeof timing>
