/** The gate of the improve loop: has a candidate won against the incumbent, in paired fresh runs on cases its author has not seen? */
import type { GateResult } from '../../../../schemas/history/gate.ts'
import { comparable } from '../stats/case_scores.ts'
import { meanOf } from '../stats/moments.ts'
import { pairedT } from '../stats/paired_t.ts'
import { permuteWithinCases } from '../stats/permutation.ts'
import { round } from '../stats/round.ts'
import { signFlip } from '../stats/sign_flip.ts'
import { withinInterval } from '../stats/within.ts'
import { isFutile } from './futility.ts'
import { guardsOf, isCertainlyWorse, type Margins } from './guards.ts'
import type { MetCase } from './met_case.ts'

/** Below it nothing is said of cases like these (statistics.md, 2.8). */
export const leastCases = 8
/** The cases may not disagree on the direction more than this: a gain on some that others pay for is none. */
const caseAlpha = 0.15
const seed = 20_260_115

export interface Met {
  /** The version that it met. */
  against: string
  cases: readonly MetCase[]
  alpha: number
  blocks: number
  planned: number
  looks: readonly GateResult['looks'][number][]
  margins: Margins
}

/**
 * Won: the permutation test of runs within cases (one-sided, exact where it can be) is at most alpha, the cases agree (sign flip),
 * and cost, time and every single case hold. Lost: worse at 5 %, or a guard is broken for certain. Tie: all else.
 */
export function gateVerdict(met: Met, alphaNow: number): GateResult {
  const cases = comparable(met.cases)
  const test = testOf(cases)
  const guards = guardsOf(cases, met.margins)
  const shared = {
    stage: 'validation' as const,
    against: met.against,
    ...test.means,
    ...test.interval,
    p_value: round(test.above, 6),
    p_method: test.method,
    alpha: round(met.alpha, 6),
    n_cases: cases.length,
    blocks: met.blocks,
    planned_blocks: met.planned,
    looks: [...met.looks],
    guards,
    scope:
      cases.length >= leastCases && test.byCase <= met.alpha ? ('cases_like_these' as const) : ('these_cases' as const),
  }
  return { ...shared, ...decisionOf(test, { ...met, alpha: alphaNow }, guards) }
}

type Decision = Pick<GateResult, 'result' | 'reason'>

function decisionOf(test: Tested, { alpha, looks, blocks, planned }: Met, guards: GateResult['guards']): Decision {
  const size = `${points(test.means.difference)} points`
  const broken = guards.find(isCertainlyWorse)
  if (broken !== undefined) return { result: 'lost', reason: `${size}, but ${broken.message}` }
  if (test.below <= 0.05 && test.means.difference < 0) {
    return { result: 'lost', reason: `worse: ${size}, p ${shown(test.below)}` }
  }
  const last = looks.at(-1)
  if (blocks < planned && last !== undefined && isFutile(last)) {
    const chance = `a chance of ${Math.round(100 * last.chance)}% to win was left`
    return { result: 'tie', reason: `${size} after ${blocks} of ${planned} blocks: ${chance}` }
  }
  const p = `p ${shown(test.above)}`
  if (test.above > alpha) return { result: 'tie', reason: `${size}, ${p}: more than the ${shown(alpha)} allowed` }
  if (test.isMixed && test.byCase > caseAlpha) {
    return {
      result: 'tie',
      reason: `${size}, ${p}, but some cases pay for others (p over the cases ${shown(test.byCase)})`,
    }
  }
  const open = guards.find(({ passed }) => passed === false)
  if (open !== undefined) return { result: 'tie', reason: `${size}, ${p}, but ${open.message}` }
  return { result: 'won', reason: `${size}, ${p} ≤ ${shown(alpha)}` }
}

interface Tested {
  means: Pick<GateResult, 'candidate_mean' | 'incumbent_mean' | 'difference'>
  interval: Pick<GateResult, 'ci_low' | 'ci_high'>
  /** One-sided, runs within cases. */
  above: number
  below: number
  /** One-sided, over the cases. */
  byCase: number
  /** Some case is worse; where none is, few cases that differ are no disagreement. */
  isMixed: boolean
  method: string
}

function testOf(cases: readonly MetCase[]): Tested {
  const differences = cases.map(({ candidate, baseline }) => meanOf(candidate) - meanOf(baseline))
  const { above, method } = permuteWithinCases(cases, seed)
  const turned = cases.map(({ candidate, baseline }) => ({ candidate: baseline, baseline: candidate }))
  const t = cases.length >= leastCases ? pairedT(differences, 0.05) : null
  const interval = t !== null && t.standardError > 0 ? t : withinInterval(cases, 0.05)
  const of = (side: 'candidate' | 'baseline') =>
    cases.length === 0 ? 0 : round(meanOf(cases.map((one) => meanOf(one[side]))), 6)
  return {
    means: {
      candidate_mean: of('candidate'),
      incumbent_mean: of('baseline'),
      difference: cases.length === 0 ? 0 : round(meanOf(differences), 6),
    },
    interval: {
      ci_low: interval === null ? null : round(Math.max(-1, interval.low), 6),
      ci_high: interval === null ? null : round(Math.min(1, interval.high), 6),
    },
    above,
    below: permuteWithinCases(turned, seed).above,
    byCase: signFlip(differences, seed).above,
    isMixed: differences.some((one) => one < 0),
    method: `permutation_${method}`,
  }
}

/** +22 or −4. */
export function points(share: number): string {
  const value = Math.round(100 * share)
  return value < 0 ? `−${-value}` : `+${value}`
}

function shown(p: number): string {
  return p < 0.001 ? '< .001' : p.toFixed(3).replace(/^0/, '')
}
