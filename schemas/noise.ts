/** `statistics.noise` in `benchmark.json`: the baseline against itself, and repeated gradings of the same transcripts. */
import * as z from 'zod'

const count = z.number().int().nonnegative()

export const noise = z.object({
  calibration: z
    .object({
      difference: z.number(),
      floor: z.number(),
      n_runs: count,
      runs: count.optional().describe('fewest runs per case and arm'),
      made: z.string().optional().describe('created_at of the calibration'),
    })
    .nullable()
    .describe('the baseline compared with itself: difference and half-width of its interval'),
  grading: z
    .object({
      execution_variance: z
        .number()
        .nullable()
        .describe(
          'variance between runs of the same case and arm, without the part that grading adds; null: no case and arm has two runs',
        ),
      grading_variance: z.number().describe('variance between gradings of the same transcript'),
      dialogue_variance: z
        .number()
        .nullable()
        .optional()
        .describe(
          'part of execution_variance that comes from different messages of the user; absent: no conversation; null: no two runs of a case and arm had the same dialogue',
        ),
      n_runs: count,
      gradings: count.describe('gradings of these runs, including the first'),
    })
    .nullable()
    .describe('variation of scores when the same transcripts are graded again'),
})
