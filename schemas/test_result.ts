/** What `whetstone test` found: the outcome of each deterministic test of a package. */
import * as z from 'zod'
import { suiteCommand } from './suite_command.ts'

const run = z.object({
  dialect: z
    .enum(['package', 'claude-code'])
    .nullable()
    .describe('format of the event that the hook received; null: not a hook'),
  exit_code: z.number().int().nullable().describe('null: the process was killed'),
  duration_seconds: z.number().nonnegative(),
  failures: z.array(z.string()).describe('requirements that are not met; empty: passed'),
})

export const testCaseResult = z.object({
  of: z.string().describe('skill:<name> or hook:<event>'),
  case: z.string().describe('file name without extension'),
  name: z.string(),
  description: z.string().optional().describe("the author's description of its purpose"),
  file: z.string().describe('absolute path'),
  verdict: z.enum(['pass', 'fail', 'error']).describe('error: the test could not be run'),
  reason: z.string().nullable(),
  runs: z
    .array(run)
    .describe(
      'one run; for a hook two: in the dialect of its fixture, which decides the verdict, and in the other dialect',
    ),
  warnings: z.array(z.string()),
})

export const testResult = z.object({
  schema_version: z.literal(1),
  package: z.string().describe('absolute path of the folder'),
  started_at: z.iso.datetime(),
  summary: z.object({
    total: z.number().int(),
    passed: z.number().int(),
    failed: z.number().int(),
    errors: z.number().int(),
  }),
  commands: z.array(suiteCommand).optional().describe('programs that the tests start; absent: none'),
  cases: z.array(testCaseResult),
  warnings: z.array(z.string()),
})

export type TestCaseResult = z.infer<typeof testCaseResult>
export type TestResult = z.infer<typeof testResult>
