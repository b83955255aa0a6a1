/** What changed between two reports of eval, and its reports over time. */
import * as z from 'zod'

const verdict = z.enum(['PASS', 'FAIL', 'SKIP'])

const rate = z.object({
  report: z.string().describe('file of the report'),
  id: z.string(),
  timestamp: z.string(),
  package: z.string(),
  version: z.string().nullable(),
  engine: z.string(),
  engine_version: z.string().nullable(),
  model: z.string().nullable(),
  judge: z.string().nullable(),
  total: z.number().int(),
  passed: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int(),
  pass_rate: z.number().nullable(),
})

export const evalDiff = z.object({
  before: rate,
  after: rate,
  provenance: z
    .array(z.object({ what: z.string(), before: z.string().nullable(), after: z.string().nullable() }))
    .describe('what differs: package, engine, models, machine'),
  cases: z.array(
    z.object({
      name: z.string(),
      target: z.string().nullable(),
      before: verdict.nullable().describe('null: the case is not in this report'),
      after: verdict.nullable(),
      change: z.enum(['fixed', 'regressed', 'same', 'other']),
      error: z.string().nullable().describe('error in the later report'),
    }),
  ),
})

export const evalTrend = z.object({
  reports: z.array(rate).describe('oldest first'),
  left_out: z.array(z.object({ file: z.string(), message: z.string() })),
})

export type ReportRate = z.infer<typeof rate>
export type EvalDiff = z.infer<typeof evalDiff>
export type EvalTrend = z.infer<typeof evalTrend>
