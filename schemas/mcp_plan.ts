/** What `whetstone mcp` remembers in the user's state folder: the plans of agents, and where their work is. */
import * as z from 'zod'

export const mcpPlan = z.object({
  schema_version: z.literal(1),
  kind: z.enum(['bench', 'compare', 'improve']),
  cwd: z.string().describe('the folder that the server worked in, absolute'),
  root: z.string().describe('configuration files below this folder may set only what is harmless, absolute'),
  allow_programs: z.boolean().describe('the server was started with --allow-programs'),
  words: z.array(z.string()).describe('the equivalent command line, without the name of the program'),
  budget: z
    .object({ usd: z.number().positive().nullable(), cost_per_run: z.number().positive().nullable() })
    .optional()
    .describe('of a comparison, which has no such flags'),
  nonce: z.string().describe('makes each plan another one, so that an approval starts it once'),
  created_at: z.iso.datetime(),
})

export const mcpJob = z.object({
  schema_version: z.literal(1),
  folder: z.string().describe('the benchmark, or the workspace of an improve session, absolute'),
  done: z.boolean().describe('false: it did not end, or ended incomplete; it can be resumed'),
  spent: z
    .object({ usd: z.number(), tokens: z.number() })
    .default({ usd: 0, tokens: 0 })
    .describe('by all starts of the plan: an agent may delete results, but not what they cost'),
})

export type McpPlan = z.infer<typeof mcpPlan>
export type McpJob = z.infer<typeof mcpJob>
