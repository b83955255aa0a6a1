/** Checks of how the agent worked: its tools, the skill, hooks, and its turns, tokens, cost and time. */
import * as z from 'zod'
import { indicatorOnly, range, shared } from './shared.ts'

const toolCall = {
  name: z.string().min(1).describe('of the tool, in any case; * stands for any characters, as in mcp__tickets__*'),
  input: z
    .string()
    .min(1)
    .optional()
    .describe('a JavaScript regular expression that matches one of the texts in the input of the call'),
  input_json: z
    .string()
    .min(1)
    .optional()
    .describe('a JavaScript regular expression that matches the whole input of the call, as JSON on one line'),
}

export const toolUsedCheck = z.strictObject({
  type: z.literal('tool_used'),
  ...toolCall,
  times: range.optional().describe('how many such calls; at least one if absent'),
  ...shared,
})

export const toolNotUsedCheck = z.strictObject({ type: z.literal('tool_not_used'), ...toolCall, ...shared })

export const skillReadCheck = z.strictObject({ type: z.literal('skill_read'), ...indicatorOnly })

export const scriptExecutedCheck = z.strictObject({
  type: z.literal('script_executed'),
  script: z
    .string()
    .min(1)
    .optional()
    .describe("a path or glob in the skill's folder, such as scripts/*.py; absent: any script"),
  ...indicatorOnly,
})

export const agentBlockedCheck = z.strictObject({
  type: z.literal('agent_blocked'),
  tool: z.string().min(1).optional().describe('the tool whose call was blocked; absent: any'),
  reason: z.string().min(1).optional().describe('stands in the reason that the hook gave'),
  event: z
    .string()
    .min(1)
    .optional()
    .describe('the event whose hook blocked, such as UserPromptSubmit; absent: one before a call'),
  blocked: z.boolean().optional().describe('false: nothing of the kind was blocked; true if absent'),
  ...shared,
})

export const turnsAtMostCheck = z.strictObject({
  type: z.literal('turns_at_most'),
  value: z.number().int().positive().describe('responses of the model'),
  ...shared,
})

export const tokensAtMostCheck = z.strictObject({
  type: z.literal('tokens_at_most'),
  value: z.number().int().positive().describe('input, output and both kinds of cached ones together'),
  ...shared,
})

export const costAtMostCheck = z.strictObject({
  type: z.literal('cost_at_most'),
  value: z.number().positive().describe('US dollars'),
  ...shared,
})

export const durationAtMostCheck = z.strictObject({
  type: z.literal('duration_at_most'),
  value: z.number().positive().describe("seconds of the agent's working time; waits for an account are not in it"),
  ...shared,
})
