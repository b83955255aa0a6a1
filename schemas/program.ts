/** Programs that a suite brings in evals/bin, such as a fake gh, and the calls that a run made of them. */
import * as z from 'zod'
import { pathWithin } from './paths.ts'

/** A file name that a shell can call. */
export const programName = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/, 'must be a name of letters, digits, _, ., + and -')

/** What a program answers to one kind of call. */
export const programAnswer = z.strictObject({
  args: z
    .string()
    .describe('the arguments, joined by spaces: * matches any characters, ? one; empty: a call without arguments'),
  stdout: z.string().optional(),
  stdout_file: pathWithin.optional().describe('a file of evals/bin that is printed instead of stdout'),
  stderr: z.string().optional(),
  exit_code: z.number().int().min(0).max(255).optional().describe('absent: 0'),
})

/** `evals/bin/<name>.yaml` or `.json`: the first answer that matches a call is given; a call without one fails. */
export const programAnswers = z.array(programAnswer).min(1)

/** One line of `programs.jsonl` in the folder of a run: a call of a program from evals/bin. */
export const programCall = z.object({
  phase: z.enum(['setup', 'agent', 'teardown']).describe('what called it'),
  program: z.string(),
  args: z.array(z.string()),
})

export type ProgramAnswer = z.infer<typeof programAnswer>
export type ProgramCall = z.infer<typeof programCall>
