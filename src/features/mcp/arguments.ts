/** The arguments of the tools: texts of a sensible length without control characters, amounts that are amounts. */
import * as z from 'zod'
import { mcpText, mcpPlace as place } from '../../flows/mcp_tools.ts'

const name = mcpText(500)
export const planId = mcpText(100).describe('plan_id from plan')
const waitSeconds = z
  .number()
  .min(0)
  .max(3600)
  .default(45)
  .describe('return after this time, even if the work still runs')

export const planArguments = z.strictObject({
  kind: z
    .enum(['bench', 'compare', 'improve'])
    .describe('bench: does the skill help? compare: blind A/B of finished runs. improve: find a better version'),
  skill: place.optional().describe('bench, improve: folder with SKILL.md'),
  benchmark: place.optional().describe('compare: benchmark folder'),
  other: place.optional().describe('compare: a second benchmark'),
  suite: place.optional().describe('suite file; default: evals/evals.json of the skill'),
  cases: z.array(name).max(200).optional().describe('only these cases: id, name or glob'),
  runs: z.int().min(1).max(1000).optional().describe('bench: runs per case and configuration; default 5'),
  total_runs: z.int().min(2).max(100_000).optional().describe('improve: agent runs of the session, at most'),
  pairs: z.int().min(1).max(1000).optional().describe('compare: pairs per case, at most'),
  engine: name.optional().describe('agent, engine[:model], such as claude-code:sonnet; default: what is installed'),
  judge: name.optional().describe('grader, engine[:model]'),
  baseline: place.optional().describe('bench: older version instead of no skill, a folder or git:<ref>'),
  workspace: place.optional().describe('folder for results; default: workspaces/<skill name>'),
  concurrency: z.int().min(1).max(100).optional(),
  budget_usd: z.number().positive().max(1e6).optional().describe('start no run after this cost'),
  budget_tokens: z.int().positive().max(1e12).optional().describe('start no run after this many tokens'),
  cost_per_run_usd: z
    .number()
    .positive()
    .max(1e6)
    .optional()
    .describe('with budget_usd: assumed cost where an engine reports none'),
})

export type PlanArguments = z.infer<typeof planArguments>

export const jobArguments = z.strictObject({ plan_id: planId, wait_seconds: waitSeconds })
