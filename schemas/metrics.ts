/** `outputs/metrics.json`: what a run did, counted the same way for every engine (the definitions are in the descriptions). */
import * as z from 'zod'

export const executionMetrics = z.looseObject({
  tool_calls: z
    .record(z.string(), z.number().int().nonnegative())
    .describe('calls by tool name, as the engine names them'),
  total_tool_calls: z.number().int().nonnegative().describe('the sum of tool_calls'),
  tools_shown: z
    .literal(false)
    .optional()
    .describe('false: the engine does not report tool calls, so the counts (here 0) are unknown; absent: it does'),
  total_steps: z
    .number()
    .int()
    .nonnegative()
    .describe('model responses in the run (a response with several tool calls is one step)'),
  errors_encountered: z.number().int().nonnegative().describe('tool results marked as errors, plus error events'),
  output_chars: z
    .number()
    .int()
    .nonnegative()
    .describe('characters of the text files among the outputs, without metrics.json'),
  transcript_chars: z.number().int().nonnegative().describe('characters of transcript.md'),
})

export const metrics = executionMetrics.extend({
  files_created: z.array(z.string()).describe('paths of files that the agent created, relative to outputs/'),
})

export type ExecutionMetrics = z.infer<typeof executionMetrics>
export type Metrics = z.infer<typeof metrics>
