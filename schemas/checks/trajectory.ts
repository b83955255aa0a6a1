/** Checks of the sequence of the agent's tool calls. */
import * as z from 'zod'
import { shared } from './shared.ts'
import { anyToolCall, toolStep } from './tool_calls.ts'

export const toolOrderCheck = z.strictObject({
  type: z.literal('tool_order'),
  mode: z
    .enum(['exact', 'in_order', 'first_in_order', 'subset', 'superset'])
    .optional()
    .describe(
      [
        'in_order (default): the calls of the list occur in this order, others between them',
        'exact: the calls of the list and no others, in this order',
        'first_in_order: each entry is called, and the first call of each comes after that of the entry before it',
        'superset: every entry has a call of its own, in any order, and others are allowed',
        'subset: every call is one of the list, in any order and number',
      ].join('; '),
    ),
  tools: z.array(toolStep).min(1).describe('names of tools, or objects with name, input, input_json and args'),
  ...shared,
})

export const toolCallsAtMostCheck = z.strictObject({
  type: z.literal('tool_calls_at_most'),
  value: z.number().int().nonnegative().describe('number of calls'),
  ...anyToolCall,
  ...shared,
})

export const noLoopCheck = z.strictObject({
  type: z.literal('no_loop'),
  max_repeats: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('number of times in a row that the same call with the same input may occur; absent: 3'),
  ...shared,
})
