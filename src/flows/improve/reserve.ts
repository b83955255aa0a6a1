/** What is kept back of a budget, so that a session which runs out of money can still end with its test. */
import type { StopKind } from '../../../schemas/limits.ts'
import { UserError } from '../../base/error.ts'
import type { Fold } from '../../phases/4-report/accept/turns.ts'
import type { FlowContext } from '../context.ts'
import { estimateBench } from '../estimate_bench.ts'
import { paidIn } from '../limited.ts'
import { noLimits } from '../limits.ts'
import type { Prepared } from '../prepare.ts'
import { type Amounts, amountText, counted, kinds, type Money, nothing } from '../purses.ts'
import { noiseRuns, StepStopped } from './bench_step.ts'
import { type Session, tell } from './session.ts'

/** An estimate is no promise. */
const slack = 1.1

/** What a session that is resumed has paid already counts against its limits. */
export async function settleBefore({ met, history, purses, request }: Session): Promise<void> {
  if (purses.units.length === 0) return
  const { limits = noLimits } = request.bench
  for (const folder of new Set(met.map((one) => one.folder))) {
    for (const line of await paidIn(folder)) purses.settle(nothing, counted(line, limits))
  }
  for (const one of proposalsOf(history)) purses.settle(nothing, counted(one, limits))
}

/** What each proposal took, as far as it is known. */
function proposalsOf({ iterations, refused = [] }: Session['history']) {
  // the baseline is no proposal
  return [...iterations.filter(({ parent }) => parent !== null), ...refused].map(({ cost_usd, proposal }) => ({
    usd: cost_usd ?? null,
    tokens: proposal?.tokens ?? null,
  }))
}

/** Refuses a budget that would not even reach for v0's own runs and the test, by what earlier runs took. */
export async function refuseTooSmall({ history, request, purses }: Session, prepared: Prepared): Promise<void> {
  const { split, iterations } = history
  if (purses.units.length === 0 || split === undefined || iterations.length > 0) return
  const found = await estimateBench(prepared, { concurrency: 1, fresh: true, reused: new Map() })
  const { train, validation, test, runs } = split
  const needed = 2 * noiseRuns(runs.train) * (train.length + validation.length) + 2 * runs.test * test.length
  for (const unit of purses.units) {
    const each = perRun(
      found[unit],
      prepared.plan.runs.length,
      unit === 'usd' ? request.bench.limits?.costPerRun : null,
    )
    if (each === null || each * needed <= purses.left(unit)) continue
    throw new UserError(
      `the budget does not reach: v0's own runs and the test alone are ${needed} runs, about ${amountText(unit, each * needed)} by earlier ones`,
      `give at least that and something for the rounds between, or fewer --train-runs and --test-runs`,
    )
  }
}

function perRun(sum: number | null, runs: number, otherwise: number | null | undefined): number | null {
  return sum === null || runs === 0 ? (otherwise ?? null) : sum / runs
}

/**
 * Sets aside what the test will take, by what v0's runs took; what it sets aside is in `session.reserved`. Throws StepStopped where so
 * much is not left: no proposal is paid for whose worth could not be tested.
 */
export async function keepReserve(session: Session, context: FlowContext): Promise<void> {
  const { history, purses, met, request } = session
  const [first] = met
  const { split } = history
  if (session.reserved !== nothing || purses.units.length === 0 || first === undefined || split === undefined) return
  const { limits = noLimits } = request.bench
  const lines = await paidIn(first.folder)
  const made = new Set(lines.map(({ run_id }) => run_id)).size
  // v0 in one arm, in the other what may cost more by the margin
  const runs = split.test.length * split.runs.test * (2 + request.margins.cost) * slack
  const of = (unit: Money) => lines.reduce((sum, line) => sum + counted(line, limits)[unit], 0)
  const each: Amounts = { usd: of('usd') / Math.max(1, made), tokens: of('tokens') / Math.max(1, made) }
  session.perRun = each
  const needed: Amounts = { usd: each.usd * runs, tokens: each.tokens * runs }
  const lacking = purses.reserve(needed)
  if (lacking === null) {
    session.reserved = needed
    const kept = reserveText(session)
    if (kept !== null) tell(context, { iteration: 0, step: 'session', version: null, message: kept })
    return
  }
  const unit = lacking === 'budget' ? 'usd' : 'tokens'
  const left = amountText(unit, Math.max(0, purses.left(unit)))
  const message = `stopped by the ${lacking.replaceAll('_', ' of ')}: ${left} are left, and the test at the end takes about ${amountText(unit, needed[unit])}`
  throw new StepStopped(message, lacking)
}

/** What was set aside may be spent. */
export function releaseReserve(session: Session): void {
  session.purses.settle(session.reserved, nothing)
  session.reserved = nothing
}

/** What is kept back, in words; null: nothing. */
export function reserveText({ reserved, purses }: Session): string | null {
  const parts = purses.units.filter((unit) => reserved[unit] > 0).map((unit) => amountText(unit, reserved[unit]))
  return parts.length === 0 ? null : `${parts.join(' and ')} of the budget are kept for the test`
}

/** Whether what is left pays for this round's validation, but hardly for another round. */
export function isLastRound(
  { purses, perRun, history, request }: Session,
  { fold, planned }: { fold: Fold; planned: number },
): boolean {
  if (perRun === null) return false
  const runs = 2 * request.trainRuns * fold.train.length + 2 * 2 * planned * fold.validation.length
  return purses.units.some((unit) => purses.left(unit) < perRun[unit] * runs + dearest(history, request)[unit])
}

/** The limit that another proposal would probably go beyond, by what the dearest so far took; null: none. */
export function tooDear({ history, purses, request }: Session): StopKind | null {
  const most = dearest(history, request)
  const unit = purses.units.find((one) => purses.left(one) <= most[one])
  return unit === undefined ? null : kinds[unit]
}

/** What the dearest proposal took. */
function dearest(history: Session['history'], { bench }: Session['request']): Amounts {
  const made = proposalsOf(history).map((one) => counted(one, bench.limits ?? noLimits))
  return { usd: Math.max(0, ...made.map(({ usd }) => usd)), tokens: Math.max(0, ...made.map(({ tokens }) => tokens)) }
}
