/** Plans each kind of paid work: a benchmark, a blind comparison, a session of improve. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import type { McpPlan } from '../../../schemas/mcp_plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { hashWalk, walk } from '../../base/fs/files.ts'
import { readJson, sha256 } from '../../base/json/json.ts'
import { bench } from '../../flows/bench/bench.ts'
import { planWithEstimate } from '../../flows/bench/plan_with_estimate.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { forecastSession } from '../../flows/improve/dry_run.ts'
import { improve } from '../../flows/improve/improve.ts'
import { noLimits } from '../../flows/limits/limits.ts'
import { type BenchRequest, resolveSkillFolder } from '../../flows/prepare/prepare_bench.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { isTrusted } from '../../store/cache/trusted_suites.ts'
import { improvePaths } from '../../store/paths.ts'
import { mcpRequests } from './cli_requests.ts'
import { openRestBudgets } from './count_spent.ts'
import {
  budgetText,
  commandsHeading,
  commandTexts,
  engineText,
  estimateText,
  isFree,
  isPracticeName,
  type PlannedWork,
  planningContext,
  quoteValue,
  refuseReach,
  requireBudget,
} from './planned_work.ts'
import { benchmarkUris, describeSession, summarizeBenchmarkResult } from './results.ts'
import type { McpSession } from './session.ts'

type PlanKind = (
  plan: Pick<McpPlan, 'words' | 'budget'>,
  session: McpSession,
  /** The workspace in which this plan has started; null: it has not. */
  startedIn: string | null,
) => Promise<PlannedWork>

/** Each throws UserError. */
export const planKinds: Readonly<Record<McpPlan['kind'], PlanKind>> = {
  bench: planBenchWork,
  compare: planCompareWork,
  improve: planImproveWork,
}

async function planBenchWork({ words }: Pick<McpPlan, 'words'>, session: McpSession): Promise<PlannedWork> {
  const { request, prices } = await mcpRequests.bench(words)
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
function withTrust<R extends Pick<BenchRequest, 'sandbox'>>(request: R): R {
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

/** `compare` has no budget of its own, so the server counts. */
async function planCompareWork(
  { words, budget }: Pick<McpPlan, 'words' | 'budget'>,
  session: McpSession,
): Promise<PlannedWork> {
  const { usd = null, cost_per_run: costPerRun = null } = budget ?? {}
  if (usd === null)
    throw new UserError(
      'a plan needs a budget',
      'pass budget_usd, with cost_per_run_usd where the cost of a pair is not known',
    )
  const { request: comparison, prices } = await mcpRequests.compare(words)
  const { request } = comparison
  await refuseReach({ places: [request.folder, request.other], engines: [request.judge] }, session)
  const { confirm: _, ...context } = planningContext(session.env, prices) // a judge that nobody named is refused
  const planned = await comparison.plan(context)
  const { pairing, judge, done } = planned
  await refuseReach({ places: [], engines: judge.command === undefined ? [] : [`${judge.name}:`] }, session)
  const cases = new Set(pairing.pairs.map(({ eval_id }) => eval_id)).size
  const pairs = pairing.pairs.map(({ folder, number, A, B }) => [folder, number, A.run, B.run])
  return {
    kind: 'compare',
    lines: [
      `Blind comparison of ${quoteValue(pairing.a)} and ${quoteValue(pairing.b)} in ${quoteValue(pairing.output)}`,
      `Pairs: ${pairing.pairs.length}, at most ${pairing.pairs.length * 2 + cases} judge calls`,
      `Judge: ${engineText(judge)}`,
      budgetText({ ...noLimits, budget: usd, costPerRun }, 'pair'),
    ],
    content: [sha256(JSON.stringify(pairs)), judge, { usd, costPerRun }],
    estimate: { usd: null, seconds: null, text: 'unknown: comparisons are not estimated' },
    runs: { agent_runs: 0, judge_calls: (pairing.pairs.length - done) * 2 + cases },
    upperUsd: isFree([judge]) ? 0 : usd,
    needsPerson: costPerRun !== null,
    assumedUsd: costPerRun ?? (isFree([judge]) ? 0 : usd), // without an assumption, no pair follows one of unknown cost
    ...{ refusals: [], commands: [], prices, limits: undefined, folder: pairing.output },
    async run(context, { spent }) {
      const result = await comparison.start(withinBudget(context, usd, spent))
      const { summary, missing, folder } = result
      const { wins, losses, ties, win_rate, p_value, cost_usd } = summary
      return {
        status: missing > 0 ? 'incomplete' : 'done',
        sentence: summary.sentence,
        result: { wins, losses, ties, win_rate, p_value, cost_usd, missing, ...benchmarkUris(folder, session.cwd) },
      }
    },
  }
}

/** Starts no further pair when the budget is spent, also by earlier starts of the plan. */
function withinBudget(context: FlowContext, usd: number, spent: () => { usd: number }): FlowContext {
  const stop = new UserError('the budget is spent', 'plan again with a larger budget_usd')
  if (spent().usd >= usd) throw stop
  const over = new AbortController()
  return {
    ...context,
    drain: AbortSignal.any([context.drain, over.signal]),
    emit(event) {
      context.emit(event)
      if (spent().usd >= usd) over.abort(stop)
    },
  }
}

async function planImproveWork(
  { words }: Pick<McpPlan, 'words'>,
  session: McpSession,
  startedIn: string | null,
): Promise<PlannedWork> {
  const read = await mcpRequests.improve(words)
  const { prices } = read
  const request = { ...read.request, resume: read.request.resume || (await isUnfinished(startedIn)) }
  const { skill, bench: inner, proposer, certifyJudge, confirmOn } = request
  await refuseReach(
    {
      places: [skill, inner.suite, inner.workspace],
      engines: [inner.engine, inner.model, inner.judge, proposer, certifyJudge, ...confirmOn],
    },
    session,
  )
  const limits = requireBudget(inner.limits)
  const forecast = await forecastSession(request, planningContext(session.env, prices))
  if ('ended' in forecast) throw new UserError(`the session has ended: ${forecast.ended}`, 'read it with result')
  const { engine, judge, plan, estimate, workspace, left, certification, confined } = forecast
  const commands = commandTexts(forecast.commands)
  const { judge: certifier } = certification
  const isFreeSession =
    isFree([engine, judge, forecast.proposer]) &&
    (certifier === null || isPracticeName(certifier)) &&
    confirmOn.length === 0
  return {
    kind: 'improve',
    lines: [
      `Session of improve for the skill ${quoteValue(forecast.skill.name)} in ${quoteValue(forecast.skill.path)}`,
      `Suite: ${quoteValue(forecast.suite)}`,
      `Runs: at most ${plan.search_runs} to search in ${plan.rounds} rounds, ${plan.certification_runs} to certify`,
      `Engine: ${engineText(engine)}; judge: ${judge === null ? 'none needed' : engineText(judge)}`,
      `Proposer: ${engineText(forecast.proposer)}; certification: ${quoteValue(certification.text)}`,
      `Results: ${quoteValue(workspace)}; the skill itself does not change`,
      budgetText(limits),
      commandsHeading(commands, confined),
      ...commands.map((one) => `  ${one}`),
    ],
    content: [
      await hashWalk((await walk(await resolveSkillFolder(path.resolve(skill)))).files),
      ...[forecast.split, plan, certification, confirmOn],
    ],
    estimate: { usd: estimate.usd, seconds: estimate.seconds, text: estimateText(estimate, estimate.from_runs) },
    runs: { agent_runs: left.search_runs + left.certification_runs, judge_calls: 0 },
    upperUsd: isFreeSession ? 0 : limits.budget,
    refusals: [],
    commands,
    needsPerson: (commands.length > 0 && !confined) || limits.costPerRun !== null,
    assumedUsd: limits.costPerRun,
    ...{ prices, limits, folder: workspace },
    async run(context, { seen, earlier }) {
      const hasSpent = earlier !== null && (earlier.spent.usd > 0 || earlier.spent.tokens > 0)
      if (hasSpent && !request.resume)
        throw new UserError(`${workspace}: the session that this plan started is gone`, 'call plan again')
      return describeSession(await improve({ ...request, bench: seen ? withTrust(inner) : inner }, context))
    },
  }
}

const openHistorySchema = z.looseObject({ ended_at: z.string().optional() })

async function isUnfinished(workspace: string | null): Promise<boolean> {
  if (workspace === null) return false
  const file = improvePaths(workspace).history
  return existsSync(file) && (await readJson(openHistorySchema, file)).ended_at === undefined
}
