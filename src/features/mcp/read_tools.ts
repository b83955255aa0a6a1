/** The tools that spend nothing: plan, check, explain, result and diff; and how a tool is added. */
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'
import type { ExplainedCase } from '../../../schemas/explanation.ts'
import { noSandboxWish } from '../../base/sandbox/choose.ts'
import { checkSkills } from '../../flows/check/check.ts'
import { diff } from '../../flows/diff/diff.ts'
import { explain } from '../../flows/explain/explain.ts'
import { diffHeadline } from '../../phases/4-report/diff/diff_text.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import type { ToolExtra } from './approve.ts'
import { name, place, planArguments } from './arguments.ts'
import { planningContext } from './planned_work.ts'
import { createAgentPlan, isAgentPlanApproved } from './plans.ts'
import {
  benchmarkUri,
  readStoredResult,
  resolveBenchmark,
  type ToolValue,
  toToolError,
  toToolResult,
} from './results.ts'
import { skillFiles } from './roots.ts'
import type { McpSession } from './session.ts'

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

const mostCommands = 20

/** All tools that spend nothing, but status. */
export function addReadTools(session: McpSession): void {
  addPlanTool(session)
  addExplainTool(session)
  addCheckTool(session)
  addResultTools(session)
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

/** What fits into an agent's context. */
const most = { cases: 4, expectations: 8, evidence: 2, runs: 3 }

function addExplainTool(session: McpSession): void {
  const { roots, env, cwd } = session
  addTool(session, {
    name: 'explain',
    title: 'Explain failures',
    description:
      'Show why cases of a benchmark failed: which expectations, in how many runs, with quotes, and where to read the transcripts. Asks no model.',
    input: z.strictObject({
      benchmark: place.describe('benchmark folder or workspace (its newest benchmark)'),
      case: name.optional().describe('one case: id, name or glob; default: the worst'),
    }),
    output: { cases: z.array(z.looseObject({ eval_id: z.number(), eval_name: z.string() })) },
    annotations: reads,
    async call(given) {
      const folder = await resolveBenchmark(given.benchmark, roots)
      const found = await explain({ folder, case: given.case ?? null }, planningContext(env, undefined))
      const uri = benchmarkUri(folder, cwd)
      return {
        sentence: found.verdict,
        cases: found.cases.slice(0, most.cases).map((one) => shorten(one, uri)),
        left_out: found.left_out + Math.max(0, found.cases.length - most.cases),
        passing: found.passing,
        resource: `${uri}/benchmark.md`,
      }
    },
  })
}

function shorten({ eval_key: _, ...one }: ExplainedCase, uri: string) {
  return {
    ...one,
    expectations: one.expectations.slice(0, most.expectations).map((each) => {
      return { ...each, evidence: each.evidence.slice(0, most.evidence) }
    }),
    runs: one.runs.slice(0, most.runs).map(({ transcript, ...run }) => {
      return { ...run, transcript: transcript === null ? null : `${uri}/${transcript}` }
    }),
    runs_left_out: one.runs_left_out + Math.max(0, one.runs.length - most.runs),
  }
}

const mostProblems = 30
const mostChanges = 20

function addCheckTool(session: McpSession): void {
  const { roots, env } = session
  addTool(session, {
    name: 'check',
    title: 'Check a skill',
    description: 'Find problems in a skill and its eval suite. Asks no model, starts nothing.',
    input: z.strictObject({
      skill: place.describe('folder with SKILL.md'),
      suite: place.optional().describe('suite file; default: evals/evals.json of the skill'),
    }),
    output: { problems: z.array(z.looseObject({ rule: z.string(), severity: z.string() })) },
    annotations: reads,
    async call({ skill, suite }) {
      const request = {
        skills: [await roots.resolveWith(skill, skillFiles)],
        suite: suite === undefined ? null : await roots.resolve(suite),
        ...{ trials: [], judge: null, sandbox: noSandboxWish },
      }
      const { skills, counts } = await checkSkills(request, planningContext(env, undefined))
      const all = skills.flatMap(({ problems }) => problems)
      const { error, warning, info } = counts
      return {
        sentence: `${formatPlural(error, 'error')}, ${formatPlural(warning, 'warning')}, ${info} notes.`,
        counts,
        problems: all.slice(0, mostProblems),
        ...(all.length > mostProblems && { left_out: all.length - mostProblems }),
        next: error > 0 ? 'Fix the errors, then call plan.' : 'Call plan.',
      }
    },
  })
}

function addResultTools(session: McpSession): void {
  const { roots, env, cwd } = session
  addTool(session, {
    name: 'result',
    title: 'Read a result',
    description: 'Read the verdict and numbers of a finished benchmark, or of a session of improve.',
    input: z.strictObject({
      place: place.describe('benchmark folder or workspace (its newest benchmark)'),
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
  addTool(session, {
    name: 'diff',
    title: 'Compare two benchmarks',
    description: 'Show what changed between two benchmarks, and how certain that is. Asks no model.',
    input: z.strictObject({
      before: place.describe('benchmark folder'),
      after: place.describe('benchmark folder'),
      arm: z.enum(['candidate', 'baseline']).default('candidate'),
    }),
    output: { cases: z.array(z.looseObject({ name: z.string(), change: z.string() })) },
    annotations: reads,
    async call({ before, after, arm }) {
      const [old, now] = [await resolveBenchmark(before, roots), await resolveBenchmark(after, roots)]
      const found = await diff({ before: old, after: now, arm }, env)
      const changed = found.cases.filter(({ change }) => change !== 'same')
      const verdict = found.scopes?.these_cases.verdict ?? null
      return {
        sentence: diffHeadline(found),
        ...{ verdict, plan: found.plan.slice(0, mostChanges), cases: changed.slice(0, mostChanges) },
        turned: found.turned.slice(0, mostChanges),
      }
    },
  })
}
