/** What `whetstone test` found: the outcome of each deterministic test of a package. */
import * as z from 'zod'
import { suiteCommand } from './suite_command.ts'

const run = z.object({
  dialect: z
    .enum(['package', 'claude-code'])
    .nullable()
    .describe('in whose words a hook was told; null: it is no hook'),
  exit_code: z.number().int().nullable().describe('null: it was ended'),
  duration_seconds: z.number().nonnegative(),
  failures: z.array(z.string()).describe('what does not hold; empty: it passes'),
})

export const testCaseResult = z.object({
  of: z.string().describe('skill:<name> or hook:<event>'),
  case: z.string().describe('the stem of its file'),
  name: z.string(),
  description: z.string().optional().describe('what its author says that it is for'),
  file: z.string().describe('absolute'),
  verdict: z.enum(['pass', 'fail', 'error']).describe('error: it could not be run'),
  reason: z.string().nullable(),
  runs: z.array(run).describe('of a hook: as its fixture is written, which decides, then in the other dialect'),
  warnings: z.array(z.string()),
})

export const testResult = z.object({
  schema_version: z.literal(1),
  package: z.string().describe('absolute folder'),
  started_at: z.iso.datetime(),
  summary: z.object({
    total: z.number().int(),
    passed: z.number().int(),
    failed: z.number().int(),
    errors: z.number().int(),
  }),
  commands: z.array(suiteCommand).optional().describe('what the tests start; absent: nothing'),
  cases: z.array(testCaseResult),
  warnings: z.array(z.string()),
})

export type TestCaseResult = z.infer<typeof testCaseResult>
export type TestResult = z.infer<typeof testResult>
