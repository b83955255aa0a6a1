/** The gate: a version meets the best so far on cases that its author has not seen, in blocks. */

import type { GateResult } from '../../../schemas/history/gate.ts'
import type { Iteration } from '../../../schemas/history.ts'
import { alphaFor } from '../../phases/4-report/accept/alpha.ts'
import { courseOf, spentAlpha } from '../../phases/4-report/accept/course.ts'
import { foldOf } from '../../phases/4-report/accept/turns.ts'
import { improvePaths } from '../../store/paths.ts'
import { readRun } from '../../store/store.ts'
import type { FlowContext } from '../context.ts'
import { amountText } from '../purses.ts'
import { benchStep, StepStopped } from './bench_step.ts'
import { inBlocks, verdictOn } from './in_blocks.ts'
import { releaseReserve } from './reserve.ts'
import { iterationsDone, replace, type Session, tell } from './session.ts'

export interface Validated {
  version: string
  best: string
  cases: readonly number[]
  iteration: number
  alpha: number
  /** Blocks, at most. */
  planned: number
}

/** Throws StepStopped. */
export async function validate(
  session: Session,
  { version, best, cases, iteration, alpha, planned }: Validated,
  context: FlowContext,
): Promise<{ gate: GateResult; folder: string }> {
  const message = `${version} against ${best} on ${cases.length} unseen cases, in up to ${planned} blocks`
  tell(context, { iteration, step: 'validation', version, message })
  const gated = { against: best, alpha, margins: session.request.margins, planned }
  const step = { candidate: version, against: best, cases, runs: planned, perform: inBlocks(gated) }
  const made = await benchStep(session, step, context)
  const gate = verdictOn(made.cases, { ...gated, blocks: planned })
  if (gate === null) throw new Error(`${made.folder}: the gate has not decided`)
  return { gate, folder: made.folder }
}

/** A version that looked better in training, and was worked on further without a win; null: there is none. */
export function unproven({ history: { iterations } }: Pick<Session, 'history'>): Iteration | null {
  const { best, head } = courseOf(iterations)
  const one = iterations.find(({ version }) => version === head)
  return head !== best && one?.gate?.stage === 'train' ? one : null
}

/**
 * Out of money: what was kept for the test is of no use without a version that has won. Where it reaches, it goes to the validation of
 * one that has not had it yet. Throws `short` where there is none, or too little.
 */
export async function proveInstead(session: Session, short: StepStopped, context: FlowContext): Promise<void> {
  const open = short.kind === 'deadline' || (await isUnderWay(session)) ? null : unproven(session)
  if (open === null) throw short
  const { version } = open
  const unit = lackingFor(session)
  if (unit !== null) {
    const message = `${short.message}; ${version} looked better in training and is not proven, which takes up to ${unit}`
    throw new StepStopped(message, short.kind)
  }
  releaseReserve(session)
  const message = `${short.message}; that now goes to the validation of ${version}: unless it wins there is nothing to test`
  tell(context, { iteration: open.iteration ?? 0, step: 'validation', version, message })
  await prove(session, open, context)
}

/** Of a round that was interrupted the proposal is there: it goes on before anything else. */
async function isUnderWay(session: Session): Promise<boolean> {
  const { proposals } = improvePaths(session.workspace)
  return (await readRun(proposals, String(iterationsDone(session) + 1))) !== null
}

/** What a validation may take, where that is more than is left with all that is kept; null: it reaches. */
function lackingFor({ history: { split }, perRun, purses, reserved }: Session): string | null {
  if (split === undefined || perRun === null) return null
  const runs = 2 * split.runs.validation * Math.max(split.train.length, split.validation.length)
  const unit = purses.units.find((one) => perRun[one] * runs > purses.left(one) + reserved[one])
  return unit === undefined ? null : amountText(unit, perRun[unit] * runs)
}

/** It gets its validation before the session ends, with what is left of the error. */
export async function prove(session: Session, one: Iteration, context: FlowContext): Promise<void> {
  const { history, workspace } = session
  const { split, iterations } = history
  const { version, iteration } = one
  if (split === undefined || iteration === undefined) throw new Error(`${workspace}: no split`)
  const { best } = courseOf(iterations)
  const { validation: cases } = foldOf(split, history, iteration)
  const alpha = alphaFor({ spent: spentAlpha(iterations), left: 1 })
  const asked = { version, best, cases, iteration, alpha, planned: split.runs.validation }
  const { gate, folder } = await validate(session, asked, context)
  const message = `${version} against ${best}: ${gate.result}: ${gate.reason}`
  tell(context, { iteration, step: 'verdict', version, message })
  await replace(session, {
    ...one,
    gate,
    benchmarks: { ...one.benchmarks, validation: folder },
    expectation_pass_rate: gate.candidate_mean,
    rate_of: 'validation',
    grading_result: gate.result,
  })
}
