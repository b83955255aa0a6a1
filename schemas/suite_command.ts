/** A program that a suite or a skill starts: `check`, `--dry-run` and the start of a run list them. */
import * as z from 'zod'

export const suiteCommand = z.object({
  kind: z
    .enum(['setup', 'check', 'hook', 'mcp_server', 'agent_settings', 'skill_command', 'program', 'teardown', 'test'])
    .describe(
      'agent_settings: an input file with hooks, servers or plugins for an agent program; skill_command: a command in the text of a skill, which Claude Code runs when it loads the skill; program: an executable of evals/bin, first on PATH',
    ),
  command: z.string().describe('a shell command, a command line, a URL, or the path of a settings file'),
  source: z
    .string()
    .optional()
    .describe('skill file that contains it, such as sums/SKILL.md; absent: it is in the suite'),
  cases: z
    .array(z.string())
    .describe('cases that start it, as id and name, such as "1 totals"; empty: a skill without a suite'),
})

export type SuiteCommand = z.infer<typeof suiteCommand>
