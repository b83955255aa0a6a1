/** What `whetstone check --json` prints: every problem of every skill that was named. */
import { z } from 'zod'

export const severity = z.enum(['error', 'warning', 'info'])

export const problem = z.object({
  rule: z.string().describe('its id; docs/check.md lists them all'),
  severity,
  file: z.string().describe('absolute path'),
  at: z.string().nullable().describe('JSON path in the file, such as $.evals[2].prompt'),
  line: z.number().int().positive().nullable(),
  message: z.string(),
  fix: z.string(),
})

export const checkReport = z.object({
  schema_version: z.literal(1),
  skills: z.array(
    z.object({
      path: z.string().describe('absolute path of the skill, or of the suite file that was named'),
      readable: z.boolean().describe('false: its SKILL.md or suite could not be read; exit code 2'),
      problems: z.array(problem),
    }),
  ),
  passed_over: z
    .array(z.object({ path: z.string().describe('absolute'), reason: z.string() }))
    .optional()
    .describe('files among the places that were given; absent: none'),
  counts: z.object({
    error: z.number().int().nonnegative(),
    warning: z.number().int().nonnegative(),
    info: z.number().int().nonnegative(),
  }),
})

export type Severity = z.infer<typeof severity>
export type Problem = z.infer<typeof problem>
export type CheckReport = z.infer<typeof checkReport>
