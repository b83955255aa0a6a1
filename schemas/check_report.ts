/** What `whetstone check --json` prints: every problem of every skill that it was asked to check. */
import * as z from 'zod'
import { descriptionOverlap } from './overlap.ts'
import { suiteCommand } from './suite_command.ts'

export const severity = z.enum(['error', 'warning', 'info'])

export const problem = z.object({
  rule: z.string().describe('id of the rule; docs/reference/check.md lists all rules'),
  severity,
  file: z.string().describe('absolute path'),
  at: z.string().nullable().describe('JSON path in the file, such as $.evals[2].prompt'),
  line: z.number().int().positive().nullable(),
  message: z.string(),
  fix: z.string(),
  eval_id: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('the case with the problem; absent: the skill or suite as a whole'),
  stops_bench: z.literal(true).optional().describe('bench refuses to start with this problem'),
})

const taskTrial = z.object({
  reward: z.number().nullable().describe('reward of the verifier, 0 to 1; null: it gave none'),
  reason: z.string().optional().describe('why it is not the full reward; absent: it is'),
})

export const triedTask = z.object({
  eval_id: z.number().int().nonnegative(),
  name: z.string(),
  oracle: taskTrial.optional().describe("with the task's own solution; absent: not tried"),
  null: taskTrial.optional().describe('with nothing done; absent: not tried'),
  sound: z.boolean().describe('true: on this machine the solution earns the full reward and doing nothing does not'),
  reason: z.string().nullable().describe('why it is not sound; null: it is'),
})

export const checkReport = z.object({
  schema_version: z.literal(1),
  skills: z.array(
    z.object({
      path: z.string().describe('absolute path of the skill or of the given suite file'),
      readable: z.boolean().describe('false: SKILL.md or the suite could not be read (exit code 2)'),
      problems: z.array(problem),
      commands: z.array(suiteCommand).optional().describe('programs that the skill and its suite start; absent: none'),
      tasks: z.array(triedTask).optional().describe('Harbor tasks tried with --oracle or --null; absent: none'),
    }),
  ),
  overlaps: z
    .array(descriptionOverlap)
    .optional()
    .describe('pairs of skills with close descriptions, the closest first; absent: --overlap was not given'),
  passed_over: z
    .array(z.object({ path: z.string().describe('absolute'), reason: z.string() }))
    .optional()
    .describe('given paths that were skipped because they are files; absent: none'),
  counts: z.object({
    error: z.number().int().nonnegative(),
    warning: z.number().int().nonnegative(),
    info: z.number().int().nonnegative(),
  }),
})

export type Severity = z.infer<typeof severity>
export type Problem = z.infer<typeof problem>
export type TaskTrial = z.infer<typeof taskTrial>
export type TriedTask = z.infer<typeof triedTask>
export type CheckReport = z.infer<typeof checkReport>
