/** Reserves part of a budget, so that a session that runs out of money can still run its final test. */
import type { StopKind } from '../../../schemas/limits.ts'
import { UserError } from '../../base/errors/error.ts'
import type { CaseFold } from '../../phases/4-report/acceptance/folds.ts'
import { estimateBench } from '../estimate/estimate_bench.ts'
import type { FlowContext } from '../flow_context.ts'
import {
  amountText,
  type BudgetAmounts,
  type BudgetUnit,
  budgetStopKinds,
  toBudgetAmounts,
  zeroAmounts,
} from '../limits/budgets.ts'
import { readBenchmarkSpending } from '../limits/limited_bench.ts'
import { noLimits } from '../limits/limits.ts'
import type { PreparedBench } from '../prepare/prepare_bench.ts'
import { emitImproveStep, type ImproveSession } from './session/session.ts'
import { countNoiseRuns, StepStopped } from './validate/bench_step.ts'

/** Allows for errors in the estimate. */
const slack = 1.1

/** The earlier costs of a resumed session count against its limits. */
export async function settleEarlierCosts({ met, history, budgets, request }: ImproveSession): Promise<void> {
  if (budgets.units.length === 0) return
  const { limits = noLimits } = request.bench
  for (const folder of new Set(met.map((one) => one.folder))) {
    for (const line of await readBenchmarkSpending(folder)) budgets.settle(zeroAmounts, toBudgetAmounts(line, limits))
  }
  for (const one of listProposalCosts(history)) budgets.settle(zeroAmounts, toBudgetAmounts(one, limits))
}

/** The cost of each proposal, as far as known. */
function listProposalCosts({ iterations, refused = [] }: ImproveSession['history']) {
  // the baseline is not a proposal
  return [...iterations.filter(({ parent }) => parent !== null), ...refused].map(({ cost_usd, proposal }) => ({
    usd: cost_usd ?? null,
    tokens: proposal?.tokens ?? null,
  }))
}

/** Throws UserError if the budget is too small for the baseline and the test, judged by earlier runs. */
export async function refuseSmallBudget(
  { history, request, budgets }: ImproveSession,
  prepared: PreparedBench,
): Promise<void> {
  const { split, iterations } = history
  if (budgets.units.length === 0 || split === undefined || iterations.length > 0) return
  const found = await estimateBench(prepared, {
    ...{ concurrency: 1, folder: null },
    ...{ reused: new Map(), again: new Set() },
  })
  const { train, validation, test, runs } = split
  const needed = 2 * countNoiseRuns(runs.train) * (train.length + validation.length) + 2 * runs.test * test.length
  for (const unit of budgets.units) {
    const each = perRun(
      found[unit],
      prepared.plan.runs.length,
      unit === 'usd' ? request.bench.limits?.costPerRun : null,
    )
    if (each === null || each * needed <= budgets.left(unit)) continue
    throw new UserError(
      `budget too small: the runs of the original version and the test alone need ${needed} runs, about ${amountText(unit, each * needed)}`,
      `raise the budget above that, or lower --train-runs and --test-runs`,
    )
  }
}

function perRun(sum: number | null, runs: number, otherwise: number | null | undefined): number | null {
  return sum === null || runs === 0 ? (otherwise ?? null) : sum / runs
}

/**
 * Reserves the test's expected cost in `session.reserved`, based on the baseline's runs. Throws StepStopped if less is left: it pays for
 * no proposal that could not be tested.
 */
export async function reserveTestBudget(session: ImproveSession, context: FlowContext): Promise<void> {
  const { history, budgets, met, request } = session
  const [first] = met
  const { split } = history
  if (session.reserved !== zeroAmounts || budgets.units.length === 0 || first === undefined || split === undefined)
    return
  const { limits = noLimits } = request.bench
  const lines = await readBenchmarkSpending(first.folder)
  const made = new Set(lines.map(({ run_id }) => run_id)).size
  // v0 in one configuration; the other may cost more by the margin
  const runs = split.test.length * split.runs.test * (2 + request.margins.cost) * slack
  const of = (unit: BudgetUnit) => lines.reduce((sum, line) => sum + toBudgetAmounts(line, limits)[unit], 0)
  const each: BudgetAmounts = { usd: of('usd') / Math.max(1, made), tokens: of('tokens') / Math.max(1, made) }
  session.perRun = each
  const needed: BudgetAmounts = { usd: each.usd * runs, tokens: each.tokens * runs }
  const lacking = budgets.reserve(needed)
  if (lacking === null) {
    session.reserved = needed
    const kept = describeReserve(session)
    if (kept !== null) emitImproveStep(context, { iteration: 0, step: 'session', version: null, message: kept })
    return
  }
  const unit = lacking === 'budget' ? 'usd' : 'tokens'
  const left = amountText(unit, Math.max(0, budgets.left(unit)))
  const message = `stopped by the ${lacking.replaceAll('_', ' of ')}: ${left} are left, and the test at the end takes about ${amountText(unit, needed[unit])}`
  throw new StepStopped(message, lacking)
}

/** Releases the reserved amount for spending. */
export function releaseReserve(session: ImproveSession): void {
  session.budgets.settle(session.reserved, zeroAmounts)
  session.reserved = zeroAmounts
}

/** The reserve in words; null: there is none. */
export function describeReserve({ reserved, budgets }: ImproveSession): string | null {
  const parts = budgets.units.filter((unit) => reserved[unit] > 0).map((unit) => amountText(unit, reserved[unit]))
  return parts.length === 0 ? null : `${parts.join(' and ')} of the budget are kept for the test`
}

/** Whether the remaining budget pays for this round's validation, but probably not for another round. */
export function isLastRound(
  { budgets, perRun, history, request }: ImproveSession,
  { fold, planned }: { fold: CaseFold; planned: number },
): boolean {
  if (perRun === null) return false
  const runs = 2 * request.trainRuns * fold.train.length + 2 * 2 * planned * fold.validation.length
  return budgets.units.some(
    (unit) => budgets.left(unit) < perRun[unit] * runs + costliestProposal(history, request)[unit],
  )
}

/** The limit that another proposal would probably exceed, if it costs as much as the most expensive so far; null: none. */
export function findExceededLimit({ history, budgets, request }: ImproveSession): StopKind | null {
  const most = costliestProposal(history, request)
  const unit = budgets.units.find((one) => budgets.left(one) <= most[one])
  return unit === undefined ? null : budgetStopKinds[unit]
}

/** The cost of the most expensive proposal. */
function costliestProposal(history: ImproveSession['history'], { bench }: ImproveSession['request']): BudgetAmounts {
  const made = listProposalCosts(history).map((one) => toBudgetAmounts(one, bench.limits ?? noLimits))
  return { usd: Math.max(0, ...made.map(({ usd }) => usd)), tokens: Math.max(0, ...made.map(({ tokens }) => tokens)) }
}
