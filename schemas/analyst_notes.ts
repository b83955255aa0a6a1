/** `analyst_notes.json`: a model's notes on a benchmark, with the claims that support each note. */
import * as z from 'zod'

export const analystClaim = z.object({
  metric: z.enum(['pass_rate', 'time_seconds', 'tokens', 'tool_calls', 'errors', 'cost_usd', 'expectation']),
  statistic: z.enum(['mean', 'min', 'max', 'sum', 'count']),
  eval_id: z.number().int().nullable().describe('null: all cases'),
  configuration: z.string().nullable().describe('null: both arms'),
  expectation: z.string().nullable().describe('its text, where the metric is expectation'),
  value: z.number(),
})

export const analystNote = z.object({
  text: z.string().min(1),
  runs: z.array(z.string()).describe('<eval_id>/<configuration>/run-<run_number>'),
  claims: z.array(analystClaim),
})

export const analystNotes = z.object({
  schema_version: z.literal(1),
  analyzer_model: z.string(),
  made_at: z.iso.datetime(),
  notes: z
    .array(analystNote)
    .describe('as the model gave them; which of them hold is worked out whenever benchmark.json is written'),
})

export type AnalystClaim = z.infer<typeof analystClaim>
export type AnalystNote = z.infer<typeof analystNote>
