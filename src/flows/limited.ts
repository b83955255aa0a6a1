/** A benchmark under limits: what is spent already is counted, what earlier runs took is known, and the first limit ends it. */
import type { SpentLine, Stop, StopKind } from '../../schemas/limits.ts'
import type { Plan, RunSpec } from '../../schemas/plan.ts'
import { mendSpent, noteSpent, readSpent } from '../store/ledger.ts'
import { readPlan, readRun, type StoredRun } from '../store/store.ts'
import type { FlowContext } from './context.ts'
import { isDone } from './execute.ts'
import { readHistory } from './history.ts'
import { isLimited, type Limits, leftUntilDeadline, noLimits, stopOf } from './limits.ts'
import { Forecast } from './observed.ts'
import type { BenchRequest } from './prepare.ts'
import { Purses } from './purses.ts'
import { Spending } from './spending.ts'
import { paidForGrading, paidForRun } from './spent.ts'
import type { StartQueue } from './start_order.ts'
import { silentParts } from './unpriced.ts'

export interface LimitedRequest {
  plan: Plan
  /** The benchmark folder, absolute. */
  folder: string
  workspace: string
  limits: Limits
  /** Those of the command, where several benchmarks share them. */
  purses: Purses
}

/** Why the time of a run was over. */
class DeadlineReached extends Error {
  override readonly name = 'DeadlineReached'
}

export interface Limited {
  spending: Spending
  /** In the order in which runs are let in. */
  queue: StartQueue<RunSpec>
  /** Aborted at the deadline, with DeadlineReached: what is in flight ends. */
  deadline: AbortSignal
  /** What ended it, with the numbers as they are now; null: no limit was met. */
  stopped: () => Stop | null
  [Symbol.dispose](): void
}

const cutOff =
  'left out: what it held counts only where its run is on disk; else a little more was spent than is counted'

/** The limits of a request, and the purses: those that it shares, else its own. */
export function shareOf({ limits = noLimits, purses }: Pick<BenchRequest, 'limits' | 'purses'>) {
  return { limits, purses: purses ?? new Purses(limits) }
}

/** Null where nothing is limited. */
export async function openLimited(request: LimitedRequest, context: FlowContext): Promise<Limited | null> {
  const { plan, folder, limits, purses } = request
  if (!isLimited(limits)) return null
  await mendSpent(folder, (damage) => context.emit({ type: 'artefact_damaged', ...damage, mended: cutOff }))
  const forecast = new Forecast(plan, await readHistory(request.workspace, plan, folder))
  const runs = pairedOrder(plan.runs)
  const made = await Promise.all(runs.map(async (spec) => ({ spec, stored: await readRun(folder, spec.run_id) })))
  const open = made.filter(({ spec, stored }) => stored === null || !isDone(stored, spec)).map(({ spec }) => spec)
  let met: { kind: StopKind; what?: string } | null = null
  const stopped = () => {
    if (met === null) return null
    const { kind } = met
    const spent = kind === 'budget' ? purses.spent('usd') : kind === 'budget_tokens' ? purses.spent('tokens') : null
    const done = runs.length - open.length + spending.finished
    return stopOf({
      ...met,
      spent,
      limits,
      runs: { done, planned: runs.length, isMost: plan.options.until !== undefined },
    })
  }
  const onStop = (kind: StopKind, what?: string) => {
    met = { kind, ...(what === undefined ? {} : { what }) }
    const stop = stopped()
    if (stop !== null) context.emit({ type: 'budget_reached', ...stop })
  }
  const onPaid = (line: SpentLine) => {
    if (purses.units.length > 0) noteSpent(folder, line)
  }
  const { drain, now } = context
  const silent = await silentParts(plan.options)
  const spending = new Spending({ limits, purses, forecast, silent, open, drain, now, onStop, onPaid })
  for (const { spec, stored } of made) if (stored !== null) forecast.now.addStored(spec, stored)
  for (const line of await paidBefore(
    folder,
    made.map(({ spec: { run_id }, stored }) => ({ run_id, stored })),
  )) {
    const what = line.part === 'run' ? 'the cost' : 'the cost of grading'
    spending.begin(line, `${what} of ${line.run_id} was not reported`)
  }
  const clock = startClock(limits, spending, context)
  return {
    spending,
    queue: queueInPairs(runs),
    deadline: clock.signal,
    stopped,
    [Symbol.dispose]: () => clock[Symbol.dispose](),
  }
}

/** What is noted as paid; and what is on disk besides, of runs that were made without a budget. */
export async function paidBefore(
  folder: string,
  made: readonly { run_id: string; stored: StoredRun | null }[],
): Promise<SpentLine[]> {
  const noted = await readSpent(folder)
  const keyOf = ({ run_id, part, started_at }: Omit<SpentLine, 'usd' | 'tokens'>) => `${run_id} ${part} ${started_at}`
  const known = new Set(noted.map(keyOf))
  const stored = made.flatMap(({ run_id, stored: one }): SpentLine[] => {
    if (one === null) return []
    const { started_at } = one.record
    return [
      { run_id, part: 'run', started_at, ...paidForRun(one.record) },
      { run_id, part: 'grading', started_at, ...paidForGrading(one.grading) },
    ]
  })
  return [...noted, ...stored.filter((line) => !known.has(keyOf(line)))]
}

/** The same of all that a benchmark has made. */
export async function paidIn(folder: string): Promise<SpentLine[]> {
  const { runs } = await readPlan(folder)
  const made = await Promise.all(runs.map(async ({ run_id }) => ({ run_id, stored: await readRun(folder, run_id) })))
  return await paidBefore(folder, made)
}

function startClock(limits: Limits, spending: Spending, context: FlowContext) {
  const controller = new AbortController()
  const left = leftUntilDeadline(limits, context.now())
  const ring = () => {
    spending.expire()
    controller.abort(new DeadlineReached('the deadline was reached'))
  }
  const timer = left === null ? undefined : setTimeout(ring, Math.max(0, left))
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) }
}

/** The order in which runs are let in. */
export function queueInPairs(runs: readonly RunSpec[]): StartQueue<RunSpec> {
  const waiting = pairedOrder(runs)
  return { next: () => waiting.shift() ?? null, learn: () => {} }
}

/** Run numbers outermost, then cases as planned, both arms of each in a row: what is made is balanced wherever it ends. */
function pairedOrder(runs: readonly RunSpec[]): RunSpec[] {
  const places = new Map<number, number>()
  for (const { eval_id } of runs) if (!places.has(eval_id)) places.set(eval_id, places.size)
  const place = ({ eval_id }: RunSpec) => places.get(eval_id) ?? 0
  return [...runs].sort((a, b) => a.run_number - b.run_number || place(a) - place(b))
}
