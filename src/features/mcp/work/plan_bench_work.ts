/** The plan of a benchmark: does the skill help? */
import path from 'node:path'
import { UserError } from '../../../base/errors/error.ts'
import { bench } from '../../../flows/bench/bench.ts'
import { planWithEstimate } from '../../../flows/bench/plan_with_estimate.ts'
import type { BenchRequest } from '../../../flows/prepare/prepare_bench.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { isTrusted } from '../../../store/cache/trusted_suites.ts'
import { summarizeBenchmarkResult } from '../results/benchmark_result.ts'
import type { McpSession } from '../session.ts'
import { openRestBudgets } from './count_spent.ts'
import { budgetText, commandsHeading, commandTexts, engineText, estimateText, isFree, quoteValue } from './plan_text.ts'
import { type PlannedWork, planningContext } from './planned_work.ts'
import { refuseReach, requireBudget } from './refuse_reach.ts'

/** Throws UserError. */
export async function planBenchWork(words: readonly string[], session: McpSession): Promise<PlannedWork> {
  const { request, prices } = await session.requests.bench(words)
  const { baseline } = request
  await refuseReach(
    {
      places: [request.skill, request.suite, request.workspace, baseline?.startsWith('git:') ? null : baseline],
      engines: [request.engine, request.model, request.judge],
    },
    session,
  )
  const limits = requireBudget(request.limits)
  const planned = await planWithEstimate(request, planningContext(session.env, prices))
  const { plan, review, estimate, workspace } = planned
  const { engine, judge } = plan.options
  const commands = commandTexts(review.commands)
  const isConfined = review.confinement.sandbox.mechanism !== 'none'
  const isKnown = review.confinement.trusted || isTrusted(review.hashes, session.env)
  return {
    kind: 'bench',
    lines: [
      `Benchmark of the skill ${quoteValue(plan.skill.name)} in ${quoteValue(plan.skill.path)}`,
      ...(plan.baseline === null ? [] : [`Against the version ${quoteValue(plan.baseline.path)}`]),
      `Suite: ${quoteValue(plan.suite.path)}, ${formatPlural(plan.cases.length, 'case')}`,
      `Runs: ${plan.calls.agent_runs} agent runs, ${plan.calls.judge_calls} judge calls`,
      `Engine: ${engineText(engine)}; judge: ${judge === null ? 'none needed' : engineText(judge)}`,
      `Results: ${quoteValue(workspace)}`,
      `Sandbox: ${quoteValue(review.confinement.sandbox.mechanism)}`,
      ...(request.passEnv.length === 0 ? [] : [`Agents see the variables ${quoteValue(request.passEnv.join(', '))}`]),
      budgetText(limits),
      commandsHeading(commands, isConfined),
      ...commands.map((one) => `  ${one}`),
    ],
    content: [plan.plan_id, plan.suite.sha256, plan.skill.sha256, plan.baseline?.sha256 ?? null, review.hashes],
    estimate: { usd: estimate.usd, seconds: estimate.seconds, text: estimateText(estimate, estimate.from_runs) },
    runs: { agent_runs: plan.calls.agent_runs, judge_calls: plan.calls.judge_calls },
    upperUsd: isFree([engine, judge]) ? 0 : limits.budget,
    refusals: planned.refusals.map(({ message, fix }) => (fix === null ? message : `${message} (${fix})`)),
    commands,
    needsPerson: (commands.length > 0 && !isConfined && !isKnown) || limits.costPerRun !== null,
    assumedUsd: limits.costPerRun,
    ...{ prices, limits, folder: null },
    async run(context, { seen, earlier }) {
      const rest = earlier && { budgets: await openRestBudgets(limits, earlier) }
      const bound = { ...bindToPlan(seen ? withTrust(request) : request, plan.plan_id), ...rest }
      const result = await bench(bound, context)
      return summarizeBenchmarkResult(result.benchmark, result.folder, session.cwd)
    },
  }
}

/** The commands were shown to the person who approved the plan. */
function withTrust(request: BenchRequest): BenchRequest {
  const { sandbox } = request
  return sandbox ? { ...request, sandbox: { ...sandbox, trusted: true } } : request
}

/** Refuses the start if skill or suite changed between the last look at the plan and its start. */
function bindToPlan(request: BenchRequest, planId: string): BenchRequest {
  return {
    ...request,
    reshape(plan) {
      if (plan.plan_id === planId) return { plan, folders: new Map() }
      throw new UserError(`${path.basename(plan.skill.path)}: changed since the plan was approved`, 'call plan again')
    },
  }
}
