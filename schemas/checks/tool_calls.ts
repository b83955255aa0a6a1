/** Parameters that say which tool calls a check is about. */
import * as z from 'zod'

const toolName = z
  .string()
  .min(1)
  .describe('name of the tool, upper or lower case; * matches any characters, as in mcp__tickets__*')

const inputParameters = {
  input: z
    .string()
    .min(1)
    .optional()
    .describe('JavaScript regular expression that must match one of the texts in the input of the call'),
  input_json: z
    .string()
    .min(1)
    .optional()
    .describe('JavaScript regular expression that must match the whole input of the call, as JSON on one line'),
  args: z
    .record(z.string().min(1), z.json())
    .optional()
    .describe('fields that the input of the call must have with equal values; further fields are allowed'),
}

/** Calls of one tool. */
export const toolCall = { name: toolName, ...inputParameters }

/** Calls of any of several tools. */
export const toolCallOfAny = {
  name: z
    .union([toolName, z.array(toolName).min(1)], { error: 'must be the name of a tool, or a list of names' })
    .describe('name of the tool, or a list of names: any of these tools'),
  ...inputParameters,
}

/** Calls of one tool or of any. */
export const anyToolCall = { ...toolCall, name: toolName.optional().describe('name of the tool; absent: any tool') }

/** An entry of a list of calls: a name alone is a call with any input. */
export const toolStep = z.union([toolName, z.strictObject(toolCall)], {
  error: 'must be the name of a tool, or an object with its name',
})

export type ToolStep = z.infer<typeof toolStep>

/** What a call must be: one of these names, with such an input. */
export interface CallParameters {
  name: string | readonly string[]
  input?: string | undefined
  input_json?: string | undefined
  args?: Readonly<Record<string, z.core.util.JSONType>> | undefined
}
