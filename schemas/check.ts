/** Checks: statements about a run's outcome that code decides. The author's form, as written in `checks[]`. */
import { z } from 'zod'

const shared = {
  text: z
    .string()
    .min(1)
    .optional()
    .describe('the statement as a person reads it; written from the parameters if absent'),
  indicator: z
    .boolean()
    .optional()
    .describe(
      'true: only the arm with the skill can meet it by construction; shown, left out of the lift. false: counted, whatever its words',
    ),
}

const textTarget = {
  target: z
    .enum(['answer', 'outputs', 'transcript'])
    .optional()
    .describe('where to look: the final answer (default), any text output file, or the transcript'),
  path: z.string().min(1).optional().describe('look in this output file instead (relative to the working folder)'),
  ignore_case: z.boolean().optional(),
}

export const containsCheck = z.strictObject({
  type: z.literal('contains'),
  value: z.string().min(1),
  ...textTarget,
  ...shared,
})

export const notContainsCheck = z.strictObject({
  type: z.literal('not_contains'),
  value: z.string().min(1),
  ...textTarget,
  ...shared,
})

export const regexCheck = z.strictObject({
  type: z.literal('regex'),
  pattern: z.string().min(1).describe('JavaScript regular expression, without slashes'),
  flags: z
    .string()
    .regex(/^[imsu]*$/, 'flags may be i, m, s, u')
    .optional(),
  target: textTarget.target,
  path: textTarget.path,
  ...shared,
})

export const fileExistsCheck = z.strictObject({
  type: z.literal('file_exists'),
  path: z.string().min(1).describe('a path or glob, relative to the working folder; the agent made or changed it'),
  ...shared,
})

export const jsonPathCheck = z.strictObject({
  type: z.literal('json_path'),
  path: z.string().min(1).optional().describe('the JSON output file; absent: the final answer is the JSON'),
  query: z.string().min(1).describe('a JSONPath query (RFC 9535), such as $.items[0].total'),
  equals: z.json().optional().describe('the first match must equal this; absent: some match must exist'),
  ...shared,
})

export const commandCheck = z.strictObject({
  type: z.literal('command'),
  run: z.string().min(1).describe('a shell command, run in a copy of the working folder as the agent left it'),
  timeout: z.number().positive().max(600).optional().describe('seconds, 60 if absent'),
  exit_code: z.number().int().min(0).max(255).optional().describe('the exit code that passes, 0 if absent'),
  ...shared,
})

export const agentBlockedCheck = z.strictObject({
  type: z.literal('agent_blocked'),
  tool: z.string().min(1).optional().describe('the tool whose call was blocked; absent: any'),
  reason: z.string().min(1).optional().describe('stands in the reason that the hook gave'),
  ...shared,
})

export const check = z.discriminatedUnion('type', [
  containsCheck,
  notContainsCheck,
  regexCheck,
  fileExistsCheck,
  jsonPathCheck,
  commandCheck,
  agentBlockedCheck,
])

export type Check = z.infer<typeof check>
export type CheckType = Check['type']
export type CheckOf<T extends CheckType> = Extract<Check, { type: T }>
