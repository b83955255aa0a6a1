/** Runs a benchmark under limits: counts past spending, forecasts from earlier runs, and stops at the first limit. */
import type { SpentLine, Stop, StopKind } from '../../../schemas/limits.ts'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import { startActiveTimer } from '../../base/time/active_time.ts'
import { noteSpent, readSpent, repairSpent } from '../../store/artefacts/spending_log.ts'
import { isRunDone } from '../../store/run_folders.ts'
import { type RunOnDisk, readPlan, readRuns } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { Forecast, readHistory, readPaidGradingUsage, readPaidRunUsage } from '../history/forecast.ts'
import type { StartQueue } from '../history/start_order.ts'
import { AdmissionControl } from './budget_admission.ts'
import {
  budgetStopKinds,
  buildStop,
  isLimited,
  type Limits,
  msUntilDeadline,
  noLimits,
  SharedBudgets,
} from './limits.ts'
import { findPartsWithoutCost } from './require_prices.ts'

export interface LimitedBenchRequest {
  plan: Plan
  /** The benchmark folder, absolute. */
  folder: string
  workspace: string
  limits: Limits
  /** The command's budgets, if several benchmarks share them. */
  budgets: SharedBudgets
  /** The judge is asked in batches, at half the price; absent: directly. */
  judgeBatch?: boolean | undefined
}

/** Aborts a run at the deadline. */
class DeadlineReached extends Error {
  override readonly name = 'DeadlineReached'
}

export interface LimitedBench {
  spending: AdmissionControl
  /** In admission order. */
  queue: StartQueue<RunSpec>
  /** Aborted at the deadline, with DeadlineReached: running work ends. */
  deadline: AbortSignal
  /** The limit that stopped it, with current numbers; null: no limit was reached. */
  stopped: () => Stop | null
  [Symbol.dispose](): void
}

const truncatedSpendingNote =
  'skipped: its costs count only if their runs are on disk, so slightly more may have been spent than is counted'

/** A request's limits and budgets: the shared ones, else new ones. */
export function resolveSharedLimits({ limits = noLimits, budgets }: { limits?: Limits; budgets?: SharedBudgets }) {
  return { limits, budgets: budgets ?? new SharedBudgets(limits) }
}

export async function openLimitedBench(
  request: LimitedBenchRequest,
  context: FlowContext,
): Promise<LimitedBench | null> {
  const { folder, limits, budgets } = request
  if (!isLimited(limits)) return null
  await repairSpent(folder, (damage) =>
    context.emit({ type: 'artefact_damaged', ...damage, mended: truncatedSpendingNote }),
  )
  const onPaid = (line: SpentLine) => (budgets.units.length > 0 ? noteSpent(folder, line) : undefined)
  const { spending, runs, stopped } = await openAdmission({ ...request, onPaid }, context)
  const deadline = new AbortController()
  const ring = () => {
    spending.expire()
    deadline.abort(new DeadlineReached('the deadline was reached'))
  }
  // the user's time: it includes suspended machine time
  const left = () => msUntilDeadline(limits, context.now()) ?? 0
  const timer = limits.deadline === null ? null : startActiveTimer({ left, ring })
  return {
    spending,
    queue: queueInPairs(runs),
    deadline: deadline.signal,
    stopped,
    [Symbol.dispose]: () => timer?.[Symbol.dispose](),
  }
}

/** `folder` null: not created yet. */
type AdmissionPlan = Omit<LimitedBenchRequest, 'folder'> & { folder: string | null }

/** What stops it before its first run; null: nothing. `settled`: cached runs. Writes nothing. */
export async function foreseeStop(
  request: AdmissionPlan,
  settled: Pick<ReadonlySet<string>, 'has'>,
  context: FlowContext,
): Promise<Stop | null> {
  if (!isLimited(request.limits)) return null
  const { spending, open, stopped } = await openAdmission(request, { ...context, emit: () => {} })
  spending.forget(settled)
  const first = open.find(({ run_id }) => !settled.has(run_id))
  if (first === undefined) return null
  await spending.admit(first)
  return stopped()
}

/** `runs`: in admission order; `open`: those still to do. */
async function openAdmission(
  request: AdmissionPlan & { onPaid?: (line: SpentLine) => void },
  { drain, now, prices, emit }: FlowContext,
) {
  const { plan, folder, workspace, limits, budgets, judgeBatch, onPaid = () => {} } = request
  const forecast = new Forecast(plan, await readHistory(workspace, plan, { except: folder, prices }), judgeBatch)
  const runs = pairedOrder(plan.runs)
  const stored = folder === null ? runs.map((spec) => ({ spec, stored: null })) : await readRuns(folder, runs)
  const open = stored.flatMap(({ spec, stored }) => (stored !== null && isRunDone(stored, spec) ? [] : [spec]))
  let met: { kind: StopKind; what?: string } | null = null
  const stopped = () => {
    if (met === null) return null
    const unit = budgets.units.find((one) => budgetStopKinds[one] === met?.kind)
    const done = runs.length - open.length + spending.finished
    const progress = { done, planned: runs.length, isMost: plan.options.until !== undefined }
    return buildStop({ ...met, spent: unit === undefined ? null : budgets.spent(unit), limits, runs: progress })
  }
  const onStop = (kind: StopKind, what?: string) => {
    met = { kind, ...(what !== undefined && { what }) }
    const stop = stopped()
    if (stop !== null) emit({ type: 'budget_reached', ...stop })
  }
  const silent = await findPartsWithoutCost(plan.options, { prices })
  const spending = new AdmissionControl({ limits, budgets, forecast, silent, open, drain, now, onStop, onPaid })
  for (const { spec, stored: one } of stored) if (one !== null) forecast.now.addStored(spec, one)
  for (const line of folder === null ? [] : await readPaidSpending(folder, stored)) {
    const what = line.part === 'run' ? 'the cost' : 'the cost of grading'
    spending.begin(line, `${what} of ${line.run_id} was not reported`)
  }
  return { spending, runs, open, stopped }
}

/** The recorded payments, plus stored runs that ran without a budget. */
export async function readPaidSpending(folder: string, runs: readonly RunOnDisk[]): Promise<SpentLine[]> {
  const noted = await readSpent(folder)
  const keyOf = ({ run_id, part, started_at }: Omit<SpentLine, 'usd' | 'tokens'>) => `${run_id} ${part} ${started_at}`
  const known = new Set(noted.map(keyOf))
  const stored = runs.flatMap(({ spec: { run_id }, stored: one }): SpentLine[] => {
    if (one === null) return []
    const { started_at } = one.record
    return [
      { run_id, part: 'run', started_at, ...readPaidRunUsage(one.record) },
      { run_id, part: 'grading', started_at, ...readPaidGradingUsage(one.grading) },
    ]
  })
  return [...noted, ...stored.filter((line) => !known.has(keyOf(line)))]
}

export async function readBenchmarkSpending(folder: string): Promise<SpentLine[]> {
  const { runs } = await readPlan(folder)
  return await readPaidSpending(folder, await readRuns(folder, runs))
}

/** The admission order. */
export function queueInPairs(runs: readonly RunSpec[]): StartQueue<RunSpec> {
  const waiting = pairedOrder(runs)
  return { next: () => waiting.shift() ?? null, learn: () => {} }
}

/** By run number, then case order, both configurations in a row: results are balanced wherever it stops. */
function pairedOrder(runs: readonly RunSpec[]): RunSpec[] {
  const places = new Map<number, number>()
  for (const { eval_id } of runs) if (!places.has(eval_id)) places.set(eval_id, places.size)
  const place = ({ eval_id }: RunSpec) => places.get(eval_id) ?? 0
  return [...runs].sort((a, b) => a.run_number - b.run_number || place(a) - place(b))
}
