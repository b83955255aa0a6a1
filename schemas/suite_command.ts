/** A program that a suite or a skill starts: `check`, `--dry-run` and the start of a run list them. */
import * as z from 'zod'

export const suiteCommand = z.object({
  kind: z
    .enum(['setup', 'check', 'hook', 'mcp_server', 'agent_settings', 'skill_command', 'test'])
    .describe(
      'agent_settings: an input file in which an agent program finds hooks, servers or plugins; skill_command: one in the text of a skill, which Claude Code runs as it loads the skill',
    ),
  command: z.string().describe('a shell command, a command line, a URL, or the path of a settings file'),
  source: z
    .string()
    .optional()
    .describe('the file of a skill that brings it, such as sums/SKILL.md; absent: the suite brings it'),
  cases: z
    .array(z.string())
    .describe('the cases that start it: id and name, such as "1 totals"; empty: a skill without a suite'),
})

export type SuiteCommand = z.infer<typeof suiteCommand>
