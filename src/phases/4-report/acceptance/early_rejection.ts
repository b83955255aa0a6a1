/** Early rejection: a candidate that is not better on the cases it was written for is not worth a validation. */
import type { GateResult } from '../../../../schemas/history/gate.ts'
import { sampleMean } from '../stats/numbers/moments.ts'
import { round } from '../stats/numbers/round.ts'
import { keepComparable } from '../stats/scores/case_scores.ts'
import { formatPointChange } from './candidate_verdict.ts'
import type { PairedCase } from './compared_case.ts'
import { standardError } from './futility.ts'
import { checkGuards, type GuardMargins, isCertainlyWorse } from './guards.ts'

const near = 1e-9
/** This many standard errors behind its parent, a candidate will hardly come out ahead. */
const losingErrors = 0.3
/** After this many tries the parent gets one more run of each case. */
const triesForARun = 3

export interface TrainingTrial {
  against: string
  cases: readonly PairedCase[]
  /** The most runs of each case that the candidate gets. */
  blocks: number
  margins: GuardMargins
  /** Whether a gain of this size on these cases is worth a validation. */
  isWorth: (difference: number) => boolean
}

/**
 * Runs of each training case for a parent that was tried against this often. The parent was chosen because it did well on these cases: with
 * only as many runs as its candidates, its luck would block all that follow.
 */
export function parentRuns(trainRuns: number, tries: number): number {
  return trainRuns + Math.floor(tries / triesForARun)
}

/** Whether a candidate needs no further training runs, because it will hardly come out ahead of its parent. */
export function isLosingToParent(all: readonly PairedCase[]): boolean {
  const cases = keepComparable(all)
  if (cases.length === 0) return false
  const difference = sampleMean(cases.map((one) => sampleMean(one.candidate) - sampleMean(one.baseline)))
  return difference < -losingErrors * standardError(cases)
}

/**
 * Lost: not better than its parent on the cases it was written for. Tie: better, by too little to show on validation; it is worked on
 * further. null: it goes to validation. It spends no alpha, because these runs accept nothing.
 */
export function trainVerdict({ against, cases: all, blocks, margins, isWorth }: TrainingTrial): GateResult | null {
  const cases = keepComparable(all)
  if (cases.length === 0) return null
  const of = (side: 'candidate' | 'baseline') => sampleMean(cases.map((one) => sampleMean(one[side])))
  const [candidate, incumbent] = [of('candidate'), of('baseline')]
  const difference = candidate - incumbent
  const broken = checkGuards(cases, margins).find((one) => one.name === 'cases' && isCertainlyWorse(one))
  // a parent that already passes everything leaves no gain to show
  const isSolved = incumbent > 1 - near && difference > -near
  const isBetter = difference > near
  const decision = decide(`${formatPointChange(difference)} points on its training cases`)
  if (decision === null) return null
  return {
    ...decision,
    stage: 'train',
    against,
    scope: 'these_cases',
    candidate_mean: round(candidate, 6),
    incumbent_mean: round(incumbent, 6),
    difference: round(difference, 6),
    ci_low: null,
    ci_high: null,
    p_value: null,
    p_method: null,
    alpha: 0,
    n_cases: cases.length,
    blocks: Math.max(...cases.map((one) => one.candidate.length)),
    planned_blocks: blocks,
    looks: [],
    guards: broken === undefined ? [] : [broken],
  }

  function decide(size: string): Pick<GateResult, 'result' | 'reason'> | null {
    if (broken !== undefined) return { result: 'lost', reason: `${size}, but ${broken.message}` }
    if (isSolved) return null
    if (!isBetter) return { result: 'lost', reason: `not better: ${size}` }
    if (isWorth(difference)) return null
    return { result: 'tie', reason: `${size}: too small to be detected on validation yet, so it is developed further` }
  }
}
