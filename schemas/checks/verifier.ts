/** Checks that start a verifier: a program of the suite that rates what the agent left. */
import * as z from 'zod'
import { pathBelow } from '../paths.ts'
import { inJsonSchema, shared } from './shared.ts'

const resultFormat = z
  .enum(['exit_code', 'score_line', 'json', 'junit', 'ctrf', 'reward'])
  .describe(
    'where the verdict comes from: exit_code (default), the last line of the output ("score: 0.75"), or a report that the command writes',
  )

/** A file or folder of the suite that is in the working folder only while a check is decided. */
const checkFile = z.union([
  z.string().min(1),
  z.strictObject({
    from: z.string().min(1).describe("relative to the skill's folder"),
    to: pathBelow.describe('its place in the copy of the working folder'),
  }),
])

const files = z
  .array(checkFile)
  .optional()
  .describe(
    'files or folders of the suite, relative to the skill folder, that are put into the copy of the working folder for this check only; agents never see what is in evals/',
  )
const passAt = z.number().gt(0).max(1).optional().describe('lowest score that passes; absent: 1')
const timeout = z.number().positive().max(600).optional().describe('seconds; absent: 60')

export const commandCheck = z
  .strictObject({
    type: z.literal('command'),
    run: z.string().min(1).describe('a shell command, run in a copy of the working folder as the agent left it'),
    timeout,
    exit_code: z.number().int().min(0).max(255).optional().describe('exit code that passes; absent: 0'),
    files,
    result: resultFormat.optional(),
    result_file: pathBelow
      .optional()
      .describe('report that the command writes, below the working folder; absent: result.json, junit.xml, …'),
    pass_at: passAt,
    ...shared,
  })
  .refine(({ result = 'exit_code', exit_code }) => result === 'exit_code' || exit_code === undefined, {
    message: 'exit_code says nothing where "result" names another source of the verdict',
    path: ['exit_code'],
  })
  .refine(({ result = 'exit_code', pass_at }) => result !== 'exit_code' || pass_at === undefined, {
    message: 'needs a "result" with a score',
    path: ['pass_at'],
  })
  .refine(({ result, result_file }) => result_file === undefined || isReport(result), {
    message: 'needs a "result" that is a report: json, junit, ctrf or reward',
    path: ['result_file'],
  })

export const scriptCheck = z.strictObject({
  type: z.literal('script'),
  script: z
    .string()
    .regex(/\.(?:[cm]?js|m?ts|py)$/, 'must end in .ts, .mts, .js, .mjs, .cjs or .py')
    .describe('a program of the suite, relative to the skill folder, that reads JSON on stdin and prints its verdict'),
  args: z.array(z.string()).optional().describe('its arguments'),
  timeout,
  files,
  pass_at: passAt,
  ...shared,
})

export const javascriptCheck = z
  .strictObject({
    type: z.literal('javascript'),
    code: z
      .string()
      .min(1)
      .optional()
      .describe('an expression, or the body of a function with a return; `output` is the final answer'),
    script: z
      .string()
      .regex(/\.(?:[cm]?js|m?ts)$/, 'must end in .ts, .mts, .js, .mjs or .cjs')
      .optional()
      .describe('instead of code: a file, relative to the skill folder, that exports the function'),
    function: z.string().min(1).optional().describe('the export of the script; absent: the default one'),
    vars: z.record(z.string(), z.unknown()).optional().describe('`context.vars` of the function'),
    config: z.record(z.string(), z.unknown()).optional().describe('`context.config` of the function'),
    timeout,
    files,
    pass_at: z.number().optional().describe('lowest number that passes, if it returns one; absent: any above 0'),
    ...shared,
  })
  .refine(({ code, script }) => (code === undefined) !== (script === undefined), {
    message: 'needs either "code" or "script"',
  })
  .refine(({ script, function: name }) => script !== undefined || name === undefined, {
    message: 'names an export of a "script"',
    path: ['function'],
  })
  .meta(inJsonSchema.oneOf('code', 'script'))

function isReport(result: ResultFormat | undefined): boolean {
  return result !== undefined && result !== 'exit_code' && result !== 'score_line'
}

export type ResultFormat = z.infer<typeof resultFormat>
export type CheckFile = z.infer<typeof checkFile>
