/** The gate: a version meets the best so far on cases that its author has not seen, in blocks. */

import type { GateResult } from '../../../schemas/history/gate.ts'
import type { Iteration } from '../../../schemas/history.ts'
import { alphaFor } from '../../phases/4-report/accept/alpha.ts'
import { courseOf, spentAlpha } from '../../phases/4-report/accept/course.ts'
import { foldOf } from '../../phases/4-report/accept/turns.ts'
import type { FlowContext } from '../context.ts'
import { benchStep } from './bench_step.ts'
import { inBlocks, verdictOn } from './in_blocks.ts'
import { replace, type Session, tell } from './session.ts'

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
