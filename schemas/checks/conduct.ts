/** Checks of how the agent worked: its tools, the skill, hooks, and its turns, tokens, cost and time. */
import * as z from 'zod'
import { programName } from '../program.ts'
import { indicatorOnly, range, shared } from './shared.ts'
import { toolCall, toolCallOfAny } from './tool_calls.ts'

export const toolUsedCheck = z.strictObject({
  type: z.literal('tool_used'),
  ...toolCall,
  times: range.optional().describe('number of such calls; absent: at least one'),
  ...shared,
})

export const toolNotUsedCheck = z.strictObject({ type: z.literal('tool_not_used'), ...toolCallOfAny, ...shared })

export const programCalledCheck = z.strictObject({
  type: z.literal('program_called'),
  program: programName.describe('name of a program in evals/bin, such as gh'),
  args: z
    .string()
    .min(1)
    .optional()
    .describe('JavaScript regular expression that must match the arguments, joined by spaces; absent: any'),
  times: range.optional().describe('number of such calls; absent: at least one'),
  ...shared,
})

export const skillReadCheck = z.strictObject({
  type: z.literal('skill_read'),
  read: z.boolean().optional().describe('true (default): the agent read it; false: it did not'),
  text: shared.text,
  weight: shared.weight,
  indicator: z
    .boolean()
    .optional()
    .describe('false: counted, for runs that all have a skill; absent or true: shown but left out of the lift'),
})

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
  tool: z.string().min(1).optional().describe('tool whose call was blocked; absent: any'),
  reason: z.string().min(1).optional().describe("text that the hook's reason must contain"),
  event: z
    .string()
    .min(1)
    .optional()
    .describe('event of the hook that blocked, such as UserPromptSubmit; absent: a hook before a call'),
  blocked: z.boolean().optional().describe('true (default): a hook blocked it; false: no hook did'),
  ...shared,
})

export const turnsAtMostCheck = z.strictObject({
  type: z.literal('turns_at_most'),
  value: z.number().int().positive().describe('model responses'),
  ...shared,
})

export const tokensAtMostCheck = z.strictObject({
  type: z.literal('tokens_at_most'),
  value: z.number().int().positive().describe('input, output, cache read and cache write tokens together'),
  ...shared,
})

export const costAtMostCheck = z.strictObject({
  type: z.literal('cost_at_most'),
  value: z.number().positive().describe('US dollars'),
  ...shared,
})

export const durationAtMostCheck = z.strictObject({
  type: z.literal('duration_at_most'),
  value: z.number().positive().describe("seconds of the agent's working time, without waits for rate limits"),
  ...shared,
})
