/** Divides a session's budget: search may spend half, and the certification gets what it needs of the rest. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { SpentLine, StopKind } from '../../../schemas/limits.ts'
import { UserError } from '../../base/errors/error.ts'
import { leastRuns as leastSessionRuns, usefulRuns } from '../../phases/5-improve/search/plan_session.ts'
import { improvePaths } from '../../store/paths.ts'
import { listBenchmarks, readPlan, readRun } from '../../store/store.ts'
import { estimateBench } from '../estimate/estimate_bench.ts'
import type { FlowContext } from '../flow_context.ts'
import { readRunUsage } from '../history/forecast.ts'
import { readBenchmarkSpending } from '../limits/limited_bench.ts'
import {
  amountText,
  type BudgetUnit,
  budgetStopKinds,
  msUntilDeadline,
  noLimits,
  toBudgetAmounts,
} from '../limits/limits.ts'
import type { PreparedBench } from '../prepare/prepare_bench.ts'
import { StepStopped } from '../versions/bench_versions.ts'
import type { ImproveSession } from './session/session.ts'

/** For errors in the estimate: a better version may cost more. */
export const costSlack = 1.1
/** Three pairs: with two, one win in seventeen is luck. */
export const leastCertificationRuns = 6

/** The earlier costs of a resumed session count against its limits. What it takes up again counts then, not here. */
export async function settleEarlierCosts(session: ImproveSession): Promise<void> {
  const { history, budgets, request } = session
  if (budgets.units.length === 0) return
  const { limits = noLimits } = request.bench
  for (const folder of await listClosedBenchmarks(session)) {
    for (const line of await readBenchmarkSpending(folder)) budgets.spend(toBudgetAmounts(line, limits))
  }
  const open = history.ending === undefined ? [] : await readOpenProposals(session)
  for (const one of [...listProposalCosts(history), ...open]) budgets.spend(toBudgetAmounts(one, limits))
}

/** The benchmarks that the session does not take up again. Once its search has ended, these are all of the search. */
async function listClosedBenchmarks(session: ImproveSession): Promise<string[]> {
  const { seen, history, workspace } = session
  const { ending, certification, confirmations = [] } = history
  if (ending === undefined) return seen
  const decided = [...(certification ? [certification] : []), ...confirmations]
  return [
    ...(await listSessionBenchmarks(session, 'searches')),
    ...decided.map(({ benchmark }) => path.join(workspace, benchmark)),
  ]
}

/** The costs of a round that a budget ended before it was recorded. */
async function readOpenProposals({ history, workspace }: ImproveSession) {
  const { proposals } = improvePaths(workspace)
  const prefix = `${(history.rounds ?? []).length + 1}-`
  const names = await readdir(proposals).catch((): string[] => [])
  const made = await Promise.all(names.filter((one) => one.startsWith(prefix)).map((one) => readRun(proposals, one)))
  return made.flatMap((one) => (one === null || one.record.status === 'failed' ? [] : [readRunUsage(one.record)]))
}

/** Of one collection, also unfinished ones. A benchmark that the author ran during the session is none: its subject is the skill itself. */
export async function listSessionBenchmarks(
  { workspace, history }: Pick<ImproveSession, 'workspace' | 'history'>,
  collection: 'searches' | 'benchmarks',
): Promise<string[]> {
  const folders = await listBenchmarks(workspace, collection)
  const plans = await Promise.all(folders.map((folder) => readPlan(folder).catch(() => null)))
  return folders.filter((_, at) => {
    const plan = plans[at]
    if (!plan || plan.created_at < history.started_at) return false
    return path.basename(path.dirname(plan.skill.path)) === 'versions'
  })
}

/** Thrown where nothing could be certified yet: then the round is not recorded, and --resume with a larger budget continues it. */
export function findEmptyBudget({ budgets }: ImproveSession): StepStopped | null {
  const unit = budgets.units.find((one) => budgets.left(one) <= 0)
  if (unit === undefined) return null
  const kind = budgetStopKinds[unit]
  return new StepStopped(`the search used its half of the ${kind.replaceAll('_', ' of ')}`, kind)
}

function listProposalCosts({ rounds = [], failed_proposals = [] }: ImproveSession['history']) {
  const proposals = rounds.flatMap((round) => round.proposals)
  return [...proposals, ...failed_proposals].map(({ cost_usd: usd, tokens }) => ({ usd, tokens }))
}

/** The name of its reservation. */
const certification = 'certification'

export function reserveForCertification({ budgets, request }: ImproveSession): void {
  const { budget, budgetTokens } = request.bench.limits ?? noLimits
  const half = (limit: number | null, unit: BudgetUnit) => Math.max(0, Math.min((limit ?? 0) / 2, budgets.left(unit)))
  budgets.reserve(certification, { usd: half(budget, 'usd'), tokens: half(budgetTokens, 'tokens') })
}

export function releaseReserve({ budgets }: ImproveSession): void {
  budgets.release(certification)
}

/** Throws UserError if earlier runs show that the budget pays for fewer runs than a session needs. */
export async function refuseSmallBudget(
  { history, request, budgets }: ImproveSession,
  prepared: PreparedBench,
): Promise<void> {
  if (budgets.units.length === 0 || history.iterations.length > 0) return
  const options = { concurrency: 1, folder: null, reused: new Map(), again: new Set<string>() }
  const found = await estimateBench(prepared, options)
  for (const unit of budgets.units) {
    const sum = found.from_runs === 0 ? null : found[unit] // usual amounts refuse nothing
    const flag = unit === 'usd' ? (request.bench.limits?.costPerRun ?? null) : null
    const each = sum === null ? flag : sum / Math.max(1, prepared.plan.runs.length)
    if (each === null || each * leastSessionRuns <= budgets.left(unit)) continue
    throw new UserError(
      `budget too small: a session needs at least ${leastSessionRuns} runs, about ${amountText(unit, each * leastSessionRuns)}`,
      `raise it; ${usefulRuns} runs, about ${amountText(unit, each * usefulRuns)}, show gains of 20 points in most sessions`,
    )
  }
}

/** The limit that ends the search; null: none. Throws StepStopped at the deadline: then --resume continues. */
export function findSearchLimit(session: ImproveSession, context: FlowContext): StopKind | null {
  const limits = session.request.bench.limits ?? noLimits
  if ((msUntilDeadline(limits, context.now()) ?? 1) <= 0) {
    throw new StepStopped(`stopped by the deadline ${limits.deadline?.toISOString()}`, 'deadline')
  }
  const { budgets } = session
  const unit = budgets.units.find((one) => budgets.left(one) <= mostExpensive(session, one))
  return unit === undefined ? null : budgetStopKinds[unit]
}

/** The most that a round's proposals have cost so far. */
function mostExpensive({ history, request }: ImproveSession, unit: BudgetUnit): number {
  const { limits = noLimits } = request.bench
  const rounds = (history.rounds ?? []).map(({ proposals }) =>
    proposals.reduce((sum, { cost_usd: usd, tokens }) => sum + toBudgetAmounts({ usd, tokens }, limits)[unit], 0),
  )
  return Math.max(0, ...rounds)
}

/** How many of the planned runs the rest of the budget pays, by the cost of the search's runs. `gradings`: of each run. Throws StepStopped if too few. */
export async function sizeCertification(session: ImproveSession, gradings: number): Promise<number> {
  const { plan, budgets, seen, request } = session
  if (budgets.units.length === 0) return plan.certification_runs
  const { limits = noLimits } = request.bench
  const folders = await Promise.all(seen.map((folder) => readBenchmarkSpending(folder)))
  const lines = folders.flat()
  const runs = folders.reduce((sum, own) => sum + new Set(own.map(({ run_id }) => run_id)).size, 0)
  const amount = (line: SpentLine, unit: BudgetUnit) =>
    (line.part === 'grading' ? gradings : 1) * toBudgetAmounts(line, limits)[unit]
  const each = (unit: BudgetUnit) =>
    (costSlack * lines.reduce((sum, line) => sum + amount(line, unit), 0)) / Math.max(1, runs)
  const paid = budgets.units.map((unit) =>
    each(unit) === 0 ? plan.certification_runs : budgets.left(unit) / each(unit),
  )
  const affordable = Math.min(plan.certification_runs, ...paid.map(Math.floor))
  if (affordable >= leastCertificationRuns) return affordable
  const unit = budgets.units.find((one) => budgets.left(one) < leastCertificationRuns * each(one)) ?? 'usd'
  const [left, needed] = [Math.max(0, budgets.left(unit)), each(unit) * plan.certification_runs]
  const kind = budgetStopKinds[unit]
  throw new StepStopped(
    `stopped by the ${kind.replaceAll('_', ' of ')}: ${amountText(unit, left)} are left, and the certification takes about ${amountText(unit, needed)}`,
    kind,
  )
}
