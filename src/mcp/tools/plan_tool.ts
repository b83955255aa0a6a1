/** The tool plan: what work would run and cost, and its id. */
import * as z from 'zod'
import { isAgentPlanApproved } from '../../store/cache/agent_plans.ts'
import { planArguments } from '../arguments.ts'
import { createAgentPlan } from '../plans/agent_plans.ts'
import type { McpSession } from '../session.ts'
import { addTool } from './add_tool.ts'

const mostCommands = 20

export function addPlanTool(session: McpSession): void {
  addTool(session, {
    name: 'plan',
    title: 'Plan work',
    description:
      'Plan a benchmark, a blind comparison or a session of improve: runs, cost, time, commands of the suite. Spends nothing. Returns the plan_id that bench, compare and improve need; a person has to approve it.',
    input: planArguments,
    output: {
      plan_id: z.string(),
      refusals: z.array(z.string()).describe('why it would not start; empty: it would'),
      upper_bound_usd: z.number().nullable().describe('null: not known'),
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    async call(given) {
      const { id, work } = await createAgentPlan(given, session)
      const { agent_runs, judge_calls } = work.runs
      const isRefused = work.refusals.length > 0
      return {
        sentence: isRefused
          ? `Can't start: ${work.refusals[0]}`
          : `${agent_runs} agent runs and ${judge_calls} judge calls. Estimated cost: ${work.estimate.text}.`,
        plan_id: id,
        kind: work.kind,
        ...{ agent_runs, judge_calls, estimated_usd: work.estimate.usd, estimated_seconds: work.estimate.seconds },
        upper_bound_usd: work.upperUsd,
        facts: work.lines.slice(0, mostCommands),
        commands: work.commands.slice(0, mostCommands),
        refusals: work.refusals,
        approved: isAgentPlanApproved(id, session.env),
        next: isRefused ? 'Fix what refuses it, then call plan again.' : `Call ${work.kind} with this plan_id.`,
      }
    },
  })
}
