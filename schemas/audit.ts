/** `audit_log.jsonl`: what people say about a judge's decisions, one per line, and the summary of their labels. */
import * as z from 'zod'

const count = z.number().int().nonnegative()
const share = z.number().min(0).max(1)

/** One line. The last line with an id counts. */
export const auditLine = z.object({
  schema_version: z.literal(1),
  id: z.string().describe('sha256 of the statement and of what the judge saw, shortened: it survives a new grading'),
  at: z.iso.datetime(),
  met: z.boolean().nullable().describe('whether a person holds the statement to be met; null: taken back'),
  judge_passed: z.boolean().describe('what the judge had said'),
  text: z.string(),
  benchmark: z.string().describe('its folder, from the workspace'),
  run_id: z.string(),
  eval_id: z.number().int(),
  configuration: z.string(),
})

const rate = z.object({ rate: share, ci_low: share, ci_high: share, n: count })

/** How far the judge agrees with people on the audited decisions of a benchmark. */
export const auditSummary = z.object({
  decisions: count.describe('expectations that the judge decided; equal ones once'),
  labels: count.describe('of them, those that a person decided too'),
  table: z.object({
    both_met: count,
    only_judge: count.describe('the judge passed it, the person did not'),
    only_person: count,
    neither: count,
  }),
  agreement: rate.nullable(),
  kappa: z.number().min(-1).max(1).nullable().describe("Cohen's; null: one of them only ever says the same"),
  kappa_ci: z
    .object({ ci_low: z.number(), ci_high: z.number() })
    .nullish()
    .describe("Wilson's interval of the agreement, as kappa: what chance would give is taken as it is"),
  sensitivity: rate.nullable().describe('share of what people hold to be met that the judge passed'),
  specificity: rate.nullable().describe('share of what people hold to be unmet that the judge failed'),
  by_configuration: z
    .record(z.string(), z.object({ sensitivity: rate, specificity: rate }))
    .nullish()
    .describe(
      "the judge's errors in each configuration, by which its rate is corrected; null: too few labels of one, so all are corrected alike",
    ),
  corrected: z
    .record(z.string(), z.object({ judged: share, rate: share, ci_low: share, ci_high: share, n: count }))
    .nullable()
    .describe(
      'by arm: the share of judged expectations that are met, as the judge says and corrected for its errors (Lee et al.); null: see withheld',
    ),
  withheld: z
    .string()
    .nullish()
    .describe('why a rate is not corrected, neither here nor in statistics.judge; null: all are'),
  sentence: z.string(),
  banner: z.string().nullable().describe('why the rates should not be leaned on; null: nothing speaks against it'),
})

export type AuditLine = z.infer<typeof auditLine>
export type AuditSummary = z.infer<typeof auditSummary>
