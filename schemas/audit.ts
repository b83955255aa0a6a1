/** `audit_log.jsonl`: what people say about a judge's decisions, one per line, and the summary of their labels. */
import * as z from 'zod'

const count = z.number().int().nonnegative()
const share = z.number().min(0).max(1)

/** One line. The last line with an id counts. */
export const auditLine = z.object({
  schema_version: z.literal(1),
  id: z
    .string()
    .describe(
      'shortened sha256 of the statement and of what the judge saw; it stays the same when the run is graded again',
    ),
  at: z.iso.datetime(),
  met: z.boolean().nullable().describe('whether a person says the statement is met; null: label withdrawn'),
  judge_passed: z.boolean().describe('the verdict of the judge'),
  text: z.string(),
  benchmark: z.string().describe('the benchmark folder, relative to the workspace'),
  run_id: z.string(),
  eval_id: z.number().int(),
  configuration: z.string(),
})

const rate = z.object({ rate: share, ci_low: share, ci_high: share, n: count })

/** How far the judge agrees with people on the audited decisions of a benchmark. */
export const auditSummary = z.object({
  decisions: count.describe('distinct expectations that the judge decided'),
  labels: count.describe('decisions that a person has labelled too'),
  table: z.object({
    both_met: count,
    only_judge: count.describe('the judge passed it, the person did not'),
    only_person: count,
    neither: count,
  }),
  agreement: rate.nullable(),
  kappa: z
    .number()
    .min(-1)
    .max(1)
    .nullable()
    .describe("Cohen's kappa; null: judge or person always gives the same verdict"),
  kappa_ci: z
    .object({ ci_low: z.number(), ci_high: z.number() })
    .nullish()
    .describe('the Wilson interval of the agreement, converted to kappa with the chance agreement held fixed'),
  sensitivity: rate.nullable().describe('share of statements that people call met and the judge passed'),
  specificity: rate.nullable().describe('share of statements that people call unmet and the judge failed'),
  by_configuration: z
    .record(z.string(), z.object({ sensitivity: rate, specificity: rate }))
    .nullish()
    .describe(
      "the judge's error rates per configuration, used to correct its pass rate; null: a configuration has too few labels, so pooled error rates are used",
    ),
  favours: z
    .object({ configuration: z.string(), p_value: share })
    .nullish()
    .describe(
      'the configuration whose statements the judge passes more readily than people do, where the labels show it; then the corrected difference is the headline, or there is no verdict',
    ),
  labels_to_tell: count
    .nullish()
    .describe(
      'labels of passed and of failed statements, in each configuration, that show with 80% power a judge whose errors differ by 20 points; null: there are as many, or one configuration',
    ),
  corrected: z
    .record(z.string(), z.object({ judged: share, rate: share, ci_low: share, ci_high: share, n: count }))
    .nullable()
    .describe(
      'by arm: the share of judged expectations that are met, according to the judge and corrected for its errors (Lee et al.); null: see withheld',
    ),
  withheld: z
    .string()
    .nullish()
    .describe('why a rate is not corrected, here and in statistics.judge_difference; null: all rates are'),
  sentence: z.string(),
  banner: z.string().nullable().describe("why the judge's rates are not reliable; null: no reason found"),
})

export type AuditLine = z.infer<typeof auditLine>
export type AuditSummary = z.infer<typeof auditSummary>
