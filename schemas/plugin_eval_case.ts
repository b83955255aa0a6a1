/** The case.yaml of a `claude plugin eval` suite: the graders as the loader reads them, and a stricter schema for editors. */
import * as z from 'zod'
import { withinForm } from './paths.ts'

const someText = z.string({ error: 'must be text' }).min(1, 'must not be empty')
const fileTarget = z.looseObject({ source: z.literal('file'), path: someText })
export const regexGrader = z.looseObject({
  pattern: someText,
  target: z
    .union([z.enum(['last_message', 'trace']), fileTarget], {
      error: 'must be last_message or { source: file, path: … }',
    })
    .default('last_message'),
  match: z.string({ error: 'must be text' }).default('contains'),
  flags: z.string({ error: 'must be text' }).default(''),
})
export const fileGrader = z.looseObject({
  path: someText,
  exists: z.boolean({ error: 'must be true or false' }).default(true),
})
export const llmGrader = z.looseObject({ criteria: someText })
const whole = 'must be a whole number, 0 or more'
const calls = z.number({ error: whole }).int(whole).nonnegative(whole).nullish()
export const toolGrader = z.looseObject({
  min: calls,
  max: calls,
  input_match: z.string({ error: 'must be text' }).nullish(),
})
const callForm = 'must be the name of a tool, or { tool: …, input_match: … }'
function callOf(tool: z.ZodString) {
  const inputMatch = z.string({ error: 'must be text' }).nullish()
  const withInput = z.strictObject({ tool, input_match: inputMatch }, { error: callForm })
  return z.union([tool, withInput], { error: callForm })
}
export const toolOrderGrader = z.looseObject({ before: callOf(someText), after: callOf(someText) })
const plainTool = z.string().regex(/^[^*]+$/)

const every = {
  name: z.string().nullish(),
  description: z.string().nullish(),
  arm: z.string().nullish().describe('with-only marks an indicator'),
  weight: z.number().nonnegative().nullish().describe('how much it counts; 0: it is not read'),
}
const filled = z.string().regex(/\S/)
const within = z.string().regex(withinForm)

const grader = z.discriminatedUnion('type', [
  regexGrader
    .extend({
      type: z.literal('regex'),
      ...every,
      target: z.union([z.literal('last_message'), fileTarget.extend({ path: within })]).optional(),
      match: z.enum(['contains', 'not_contains']).optional(),
      flags: z
        .string()
        .regex(/^[gimsu]*$/)
        .optional(),
    })
    .describe('checks the last message or a file'),
  fileGrader.extend({ type: z.literal('file_exists'), ...every, path: within }),
  llmGrader.extend({ type: z.literal('llm'), ...every, criteria: filled }),
  toolGrader.extend({ type: z.literal('tool_used'), ...every, tool: plainTool, body: z.string().optional() }).strict(),
  toolOrderGrader
    .extend({
      type: z.literal('tool_order'),
      ...every,
      before: callOf(plainTool),
      after: callOf(plainTool),
      body: z.string().optional(),
    })
    .strict()
    .describe('the first call of one tool comes before the first call of another'),
])

const task = {
  prompt: z.string().nullish().describe('the task, unless it is in prompt.md'),
  timeout_seconds: z.number().positive().nullish(),
  scaffold_script: z.string().nullish().describe('a script that runs before the agent, in both arms'),
  history_file: z
    .string()
    .nullish()
    .describe('a saved session of Claude Code; the messages of its user are sent before the prompt'),
  conversation_history: z
    .array(z.union([z.string(), z.looseObject({})]))
    .nullish()
    .describe('messages; those of the user are sent before the prompt'),
}
const notes = Object.fromEntries(
  ['id', 'title', 'description', 'tags', 'category', 'notes', 'author'].map((name) => [name, z.unknown().optional()]),
)
const part = z.strictObject({ ...task, ...notes }).nullish()

/** For editors: only what is read here, since `check` warns about the rest. The loader reads the graders leniently. */
export const pluginEvalCase = z.strictObject({
  schema_version: z
    .string()
    .regex(/^\s*[01](\.|\s*$)/)
    .describe('"1.0"'),
  name: z.string().nullish(),
  expected_outcome: z.string().nullish().describe('shown to the judge; the only criterion if there is no grader'),
  ...task,
  ...notes,
  execution: part.describe('prompt, timeout_seconds'),
  context: part.describe('scaffold_script'),
  graders: z.array(grader).meta({ uniqueItems: true }).nullish().describe('more graders can be in graders/*.md'),
})
