/** `eval.json`: whether one arm passes a suite, with one verdict per case. */
import * as z from 'zod'
import { owners, quarantined } from './case_upkeep.ts'
import { goldenAuditLine, goldenRunLine } from './golden.ts'
import { injectionAttempt } from './grading.ts'
import { activation, engineChoice } from './plan.ts'
import { loadWarning } from './suite.ts'

export const evalVerdict = z.enum(['pass', 'fail', 'skip'])

export const evalCheck = z.object({
  type: z.string().describe('type of the check, such as contains'),
  text: z.string(),
  passed: z.boolean(),
  evidence: z.string(),
})

export const evalCaseResult = z.object({
  eval_id: z.number().int(),
  eval_key: z.string().nullable(),
  eval_name: z.string(),
  target: z.string().nullable(),
  category: z.string().nullable(),
  owners,
  quarantine: quarantined,
  verdict: evalVerdict,
  reason: z.string().nullable().describe('why it failed or was skipped; null: it passed'),
  warnings: z.array(z.string()).describe('warnings of a case that passed'),
  run: z.string().nullable().describe('folder of the run, relative to this file; null: not run'),
  cached: z.boolean().optional().describe('true: passed earlier with identical inputs, so nothing was run'),
  duration_seconds: z.number().nonnegative().nullable(),
  cost_usd: z.number().nonnegative().nullable().describe('run and judge; null: unknown'),
  checks: z.array(evalCheck),
  judge: z
    .object({
      result: z.enum(['pass', 'fail', 'error']),
      reason: z.string(),
      engine: z.string().nullable(),
      model: z.string().nullable(),
    })
    .nullable()
    .describe('null: no judge was asked'),
  injection_attempts: z
    .array(injectionAttempt)
    .optional()
    .describe('text in the run that seems to instruct the judge; absent: none found'),
  output_snippet: z.string().describe('the first 500 characters of the final answer'),
})

export const evalSummary = z.object({
  total: z.number().int().describe('cases that count'),
  quarantined: z.number().int().positive().optional().describe('cases that do not count; absent: none'),
  passed: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int(),
  pass_rate: z.number().min(0).max(1).nullable().describe('passed ÷ (passed + failed); null: nothing was decided'),
})

export const evalResult = z.object({
  schema_version: z.literal(1),
  format: z.string(),
  suite: z.string().describe('absolute path'),
  root: z.string().describe('absolute path of the folder under test'),
  name: z.string().describe('name of the skill, package or agent under test'),
  version: z.string().nullable(),
  folder: z.string().describe('absolute path of the folder with this file and the runs'),
  started_at: z.iso.datetime(),
  duration_seconds: z.number().nonnegative(),
  engine: engineChoice,
  agent: z
    .object({
      version: z.string().nullable(),
      model: z.string().nullable(),
      provider: z.string().nullable(),
      session_id: z.string().nullable(),
    })
    .describe('the agent that actually ran, as reported by the first run that reports it; null: not reported'),
  judge: engineChoice.nullable().describe('null: no case needs one'),
  timeout_seconds: z.number(),
  activation: activation.optional().describe('how the runs got to use the skill; absent: natural'),
  summary: evalSummary,
  cases: z.array(evalCaseResult),
  golden: z
    .object({
      log: z.string().describe('runs/<date>.jsonl, absolute'),
      lines: z.array(goldenRunLine).describe('lines of this run'),
      threshold: z.number(),
      open: z.array(goldenAuditLine).describe('verdicts that a person should review'),
      decisions: z.number().int().describe('number of verdicts of this run'),
      costs: z.array(z.string()).optional().describe('messages about the cost caps in model.md'),
      stopped: z.string().nullable().describe('why some tests were not run; null: all were run'),
      unwritten: z
        .string()
        .optional()
        .describe(
          'why lines and responses could not be written; the same command writes them. Absent: they were written',
        ),
    })
    .optional()
    .describe("golden tests only: the current content of the agent's evals/runs/"),
  warnings: z.array(loadWarning),
})

export type EvalVerdict = z.infer<typeof evalVerdict>
export type EvalCaseResult = z.infer<typeof evalCaseResult>
export type EvalSummary = z.infer<typeof evalSummary>
export type EvalResult = z.infer<typeof evalResult>
