/** `evals/mcp/<server>.json`: the answers of an MCP server, recorded once and given in every run instead of starting it. */
import * as z from 'zod'

const tool = z.looseObject({
  name: z.string().min(1),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
})

const call = z.strictObject({
  tool: z.string().min(1),
  arguments: z.record(z.string(), z.unknown()).describe('as the agent gave them'),
  result: z
    .looseObject({ content: z.array(z.looseObject({ type: z.string() })), isError: z.boolean().optional() })
    .describe('as the server answered'),
})

export const mcpRecording = z.strictObject({
  server: z.string().min(1).describe('name of the server in `environment.mcp_servers`'),
  recorded_at: z.string().optional().describe('ISO time of the last call'),
  tools: z.array(tool).describe('answer of tools/list'),
  calls: z
    .array(call)
    .describe(
      'the calls in their order; the same call several times gets its answers in this order, then the last one again',
    ),
})

export type McpRecording = z.infer<typeof mcpRecording>
