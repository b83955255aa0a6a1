/** A program that a suite starts: `check`, `--dry-run` and the start of a run list them. */
import * as z from 'zod'

export const suiteCommand = z.object({
  kind: z
    .enum(['setup', 'check', 'hook', 'mcp_server', 'agent_settings', 'test'])
    .describe('agent_settings: an input file in which an agent program finds hooks, servers or plugins'),
  command: z.string().describe('a shell command, a command line, a URL, or the path of a settings file'),
  cases: z.array(z.string()).min(1).describe('the cases that start it: id and name, such as "1 totals"'),
})

export type SuiteCommand = z.infer<typeof suiteCommand>
