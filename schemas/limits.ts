/** What ends a benchmark early: a budget of dollars or tokens, a deadline, a cost that is not reported. */
import * as z from 'zod'

export const stopKind = z
  .enum(['budget', 'budget_tokens', 'deadline', 'unreported_cost', 'max_wait'])
  .describe(
    'unreported_cost: an engine did not report the cost of a run, so the budget cannot be enforced; max_wait: everything waited for a provider for too long',
  )

/** Why no further run was started. */
export const stop = z.object({
  kind: stopKind,
  spent: z
    .number()
    .nullable()
    .describe('dollars, or tokens with budget_tokens, including retries and judges; null: unknown'),
  limit: z.number().nullable().describe('dollars or tokens; null: the limit was a time or an unreported cost'),
  deadline: z.iso.datetime().nullable(),
  runs_done: z.number().int().nonnegative().describe('planned runs finished by then'),
  runs_planned: z.number().int().nonnegative(),
  reason: z.string().describe('one sentence in plain words'),
})

export type StopKind = z.infer<typeof stopKind>
export type Stop = z.infer<typeof stop>

/** A line of spent.jsonl: what an attempt at a run, or its grading, cost. */
export const spentLine = z.object({
  run_id: z.string(),
  part: z.enum(['run', 'grading']),
  started_at: z.iso.datetime().describe('start of the run; identifies the attempt'),
  usd: z.number().nonnegative().nullable().describe('null: not reported'),
  tokens: z.number().nonnegative().nullable(),
})

export type SpentLine = z.infer<typeof spentLine>
