/** The tools that spend nothing: plan, result, and those of other features; and how a tool is added. */
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'
import { listMcpTools, type McpPlaces, type McpTool, mcpPlace, type ToolValue } from '../../flows/mcp_tools.ts'
import type { ToolExtra } from './approve.ts'
import { planArguments } from './arguments.ts'
import { planningContext } from './planned_work.ts'
import { createAgentPlan, isAgentPlanApproved } from './plans.ts'
import { benchmarkUri, readStoredResult, toToolError, toToolResult } from './results.ts'
import { type McpSession, resolveBenchmark, skillFiles } from './session.ts'

interface Tool<I extends z.ZodObject> extends Omit<McpTool, 'call'> {
  name: string
  input: I
  annotations: ToolAnnotations
  call: (given: z.infer<I>, extra: ToolExtra) => Promise<ToolValue>
}

/** For tools that only read. */
export const reads: ToolAnnotations = { readOnlyHint: true, openWorldHint: false }

export function addTool<I extends z.ZodObject>({ server, env }: McpSession, tool: Tool<I>): void {
  const { name, input, output, call, ...about } = tool
  const outputSchema = z.looseObject({ sentence: z.string().describe('the outcome in words'), ...output })
  const inputSchema: z.ZodObject = input
  server.registerTool(name, { ...about, inputSchema, outputSchema }, async (given, extra) => {
    try {
      return toToolResult(await call(input.parse(given), extra), env)
    } catch (error) {
      return toToolError(error, env)
    }
  })
}

const mostCommands = 20

/** Those that spend nothing, but status, in the order in which clients list them; what other features add comes last. */
const order = ['plan', 'explain', 'check', 'result', 'diff']
const ownTools: Readonly<Record<string, (session: McpSession) => void>> = {
  plan: addPlanTool,
  result: addResultTool,
}

/** All tools that spend nothing, but status. */
export async function addReadTools(session: McpSession): Promise<void> {
  const { roots, env, cwd } = session
  const places: McpPlaces = {
    resolve: (given) => roots.resolve(given),
    resolveSkill: (given) => roots.resolveWith(given, skillFiles),
    resolveBenchmark: (given) => resolveBenchmark(given, roots),
    benchmarkUri: (folder) => benchmarkUri(folder, cwd),
  }
  for (const name of new Set([...order, ...Object.keys(listMcpTools())])) {
    ownTools[name]?.(session)
    const tool = await listMcpTools()[name]?.()
    if (tool === undefined) continue
    const call = (given: unknown) => tool.call(given, places, planningContext(env, undefined))
    addTool(session, { ...tool, name, annotations: reads, call })
  }
}

function addPlanTool(session: McpSession): void {
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

function addResultTool(session: McpSession): void {
  const { roots, cwd } = session
  addTool(session, {
    name: 'result',
    title: 'Read a result',
    description: 'Read the verdict and numbers of a finished benchmark, or of a session of improve.',
    input: z.strictObject({
      place: mcpPlace.describe('benchmark folder or workspace (its newest benchmark)'),
      kind: z.enum(['benchmark', 'session']).default('benchmark'),
    }),
    output: { status: z.string() },
    annotations: reads,
    async call(given) {
      const at = await roots.resolveWith(given.place, ['history.json'])
      const folder = given.kind === 'session' ? at : await resolveBenchmark(at, roots)
      const { sentence, status, result } = await readStoredResult(folder, given.kind, cwd)
      return { sentence, status, ...result }
    },
  })
}
