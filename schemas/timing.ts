/** `timing.json`: wall clock and tokens of a run. Durations of the executor are those of run.json; grading adds its own. */
import * as z from 'zod'

/** Which worker began an attempt at a run through a queue, and when. */
export const attemptMark = z.object({
  attempt: z.number().int().positive(),
  run_id: z.string(),
  worker: z.string(),
  started_at: z.iso.datetime(),
})

export const timing = z.looseObject({
  total_tokens: z
    .number()
    .nonnegative()
    .optional()
    .describe('input + output + cache read + cache write; absent: unknown'),
  duration_ms: z.number().nonnegative().optional().describe('duration of the agent, in milliseconds'),
  total_duration_seconds: z.number().nonnegative().optional().describe('duration of the agent, in seconds'),
  total_cost_usd: z
    .number()
    .nonnegative()
    .optional()
    .describe("written by other tools; Whetstone's cost is in run.json"),
  executor_start: z.string().optional(),
  executor_end: z.string().optional(),
  executor_duration_seconds: z.number().nonnegative().optional(),
  grader_start: z.string().nullish(),
  grader_end: z.string().nullish(),
  grader_duration_seconds: z.number().nonnegative().nullish(),
  attempt: attemptMark.optional().describe('for a run through a queue; written before the agent starts'),
})

export type AttemptMark = z.infer<typeof attemptMark>
export type Timing = z.infer<typeof timing>
