/** Adds one tool to the server: its handler returns a value, and what it throws becomes an error result. */
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'
import type { ToolExtra } from '../plans/approve.ts'
import { type ToolValue, toToolError, toToolResult } from '../results/tool_result.ts'
import type { McpSession } from '../session.ts'

interface Tool<I extends z.ZodObject> {
  name: string
  title: string
  description: string
  input: I
  /** The fields besides `sentence`. */
  output: z.ZodRawShape
  annotations: ToolAnnotations
  call: (given: z.infer<I>, extra: ToolExtra) => Promise<ToolValue>
}

/** For tools that only read. */
export const reads: ToolAnnotations = { readOnlyHint: true, openWorldHint: false }

export function addTool<I extends z.ZodObject>(
  { server, env }: McpSession,
  { name, title, description, input, output, annotations, call }: Tool<I>,
): void {
  const outputSchema = z.looseObject({ sentence: z.string().describe('the outcome in words'), ...output })
  const inputSchema: z.ZodObject = input
  server.registerTool(name, { title, description, inputSchema, outputSchema, annotations }, async (given, extra) => {
    try {
      return toToolResult(await call(input.parse(given), extra), env)
    } catch (error) {
      return toToolError(error, env)
    }
  })
}
