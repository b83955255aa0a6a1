/** Early rejection: a candidate that is no better on the very cases it was made for is not worth a validation. */
import type { GateResult } from '../../../../schemas/history/gate.ts'
import { comparable } from '../stats/case_scores.ts'
import { meanOf } from '../stats/moments.ts'
import { round } from '../stats/round.ts'
import { standardError } from './futility.ts'
import { guardsOf, isCertainlyWorse, type Margins } from './guards.ts'
import type { MetCase } from './met_case.ts'
import { points } from './verdict.ts'

const near = 1e-9
/** Behind its parent by so many standard errors: hardly a candidate that would come out ahead. */
const behind = 0.3
/** After so many tries the parent gets one run more of each case. */
const triesForARun = 3

export interface Trained {
  against: string
  cases: readonly MetCase[]
  /** Runs of each case that the candidate gets, at most. */
  blocks: number
  margins: Margins
  /** Whether a gain of that size on these cases is worth a validation. */
  isWorth: (difference: number) => boolean
}

/**
 * Runs of each training case of a parent that was tried against so often before. It was chosen because it did well there: with as many
 * runs as its candidates its luck would stand in the way of all that come after.
 */
export function parentRuns(trainRuns: number, tries: number): number {
  return trainRuns + Math.floor(tries / triesForARun)
}

/** Whether a candidate needs no further training runs, some of them made: it will hardly come out ahead of its parent. */
export function isBehind(all: readonly MetCase[]): boolean {
  const cases = comparable(all)
  if (cases.length === 0) return false
  const difference = meanOf(cases.map((one) => meanOf(one.candidate) - meanOf(one.baseline)))
  return difference < -behind * standardError(cases)
}

/**
 * Lost: no better than its parent on the cases it was made for. Tie: better, by too little to be shown on validation; it is worked
 * on further. null: it goes on to validation. Costs no error: these runs accept nothing.
 */
export function trainVerdict({ against, cases: all, blocks, margins, isWorth }: Trained): GateResult | null {
  const cases = comparable(all)
  if (cases.length === 0) return null
  const of = (side: 'candidate' | 'baseline') => meanOf(cases.map((one) => meanOf(one[side])))
  const [candidate, incumbent] = [of('candidate'), of('baseline')]
  const difference = candidate - incumbent
  const broken = guardsOf(cases, margins).find((one) => one.name === 'cases' && isCertainlyWorse(one))
  // where there is nothing left to gain on them, they say nothing
  const isSolved = incumbent > 1 - near && difference > -near
  const isBetter = difference > near
  const decision = decide(`${points(difference)} points on the cases it was made for`)
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
    if (!isBetter) return { result: 'lost', reason: `no better: ${size}` }
    if (isWorth(difference)) return null
    return { result: 'tie', reason: `${size}: too little to show on validation yet, worked on further` }
  }
}
