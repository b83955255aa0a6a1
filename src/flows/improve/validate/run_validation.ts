/** The gate: compares a version with the best so far on cases the proposer has not seen, in blocks. */
import type { GateResult } from '../../../../schemas/history/gate.ts'
import type { Iteration } from '../../../../schemas/history.ts'
import { candidateAlpha } from '../../../phases/4-report/acceptance/alpha_spending.ts'
import { findFold } from '../../../phases/4-report/acceptance/folds.ts'
import { spentAlpha, traceCourse } from '../../../phases/4-report/acceptance/session_course.ts'
import { improvePaths } from '../../../store/paths.ts'
import { readRun } from '../../../store/store.ts'
import type { FlowContext } from '../../flow_context.ts'
import { amountText } from '../../limits/budgets.ts'
import { releaseReserve } from '../budget_reserve.ts'
import { countIterations, emitImproveStep, type ImproveSession, replaceIteration } from '../session/session.ts'
import { runBenchStep, StepStopped } from './bench_step.ts'
import { createBlockPerform, decideGate } from './sequential_validation.ts'

export interface ValidationRequest {
  version: string
  best: string
  cases: readonly number[]
  iteration: number
  alpha: number
  /** Most blocks. */
  planned: number
}

/** Throws StepStopped. */
export async function validateVersion(
  session: ImproveSession,
  { version, best, cases, iteration, alpha, planned }: ValidationRequest,
  context: FlowContext,
): Promise<{ gate: GateResult; folder: string }> {
  const message = `${version} against ${best} on ${cases.length} unseen cases, up to ${planned} ${planned === 1 ? 'run' : 'runs'} of each`
  emitImproveStep(context, { iteration, step: 'validation', version, message })
  const gated = { against: best, alpha, margins: session.request.margins, planned }
  const step = { candidate: version, against: best, cases, runs: planned, perform: createBlockPerform(gated) }
  const made = await runBenchStep(session, step, context)
  const gate = decideGate(made.cases, { ...gated, blocks: planned })
  if (gate === null) throw new Error(`${made.folder}: the gate has not decided`)
  return { gate, folder: made.folder }
}

/** A version that did better in training and was edited further without a win; null: there is none. */
export function findUnprovenVersion({ history: { iterations } }: Pick<ImproveSession, 'history'>): Iteration | null {
  const { best, head } = traceCourse(iterations)
  const one = iterations.find(({ version }) => version === head)
  return head !== best && one?.gate?.stage === 'train' ? one : null
}

/**
 * Out of budget: a test reserve is useless without a winner. Spends it on validating a version that has not been validated yet, if it is
 * enough. Throws `short` if there is none or too little.
 */
export async function validatePending(
  session: ImproveSession,
  short: StepStopped,
  context: FlowContext,
): Promise<void> {
  const open = short.kind === 'deadline' || (await isUnderWay(session)) ? null : findUnprovenVersion(session)
  if (open === null) throw short
  const { version } = open
  const unit = describeMissingBudget(session)
  if (unit !== null) {
    const message = `${short.message}; ${version} looked better in training and is not proven, which takes up to ${unit}`
    throw new StepStopped(message, short.kind)
  }
  releaseReserve(session)
  const message = `${short.message}; that now goes to the validation of ${version}: unless it wins there is nothing to test`
  emitImproveStep(context, { iteration: open.iteration ?? 0, step: 'validation', version, message })
  await validateCandidate(session, open, context)
}

/** An interrupted round already has a proposal, so it continues first. */
async function isUnderWay(session: ImproveSession): Promise<boolean> {
  const { proposals } = improvePaths(session.workspace)
  return (await readRun(proposals, String(countIterations(session) + 1))) !== null
}

/** The cost of a validation, if it exceeds what is left with the reserve; null: affordable. */
function describeMissingBudget({ history: { split }, perRun, budgets, reserved }: ImproveSession): string | null {
  if (split === undefined || perRun === null) return null
  const runs = 2 * split.runs.validation * Math.max(split.train.length, split.validation.length)
  const unit = budgets.units.find((one) => perRun[one] * runs > budgets.left(one) + reserved[one])
  return unit === undefined ? null : amountText(unit, perRun[unit] * runs)
}

/** Validates it before the session ends, with the remaining alpha. */
export async function validateCandidate(session: ImproveSession, one: Iteration, context: FlowContext): Promise<void> {
  const { history, workspace } = session
  const { split, iterations } = history
  const { version, iteration } = one
  if (split === undefined || iteration === undefined) throw new Error(`${workspace}: no split`)
  const { best } = traceCourse(iterations)
  const { validation: cases } = findFold(split, history, iteration)
  const alpha = candidateAlpha({ spent: spentAlpha(iterations), left: 1 })
  const asked = { version, best, cases, iteration, alpha, planned: split.runs.validation }
  const { gate, folder } = await validateVersion(session, asked, context)
  const message = `${version} against ${best}: ${gate.result}: ${gate.reason}`
  emitImproveStep(context, { iteration, step: 'verdict', version, message })
  await replaceIteration(session, {
    ...one,
    gate,
    benchmarks: { ...one.benchmarks, validation: folder },
    expectation_pass_rate: gate.candidate_mean,
    rate_of: 'validation',
    grading_result: gate.result,
  })
}
