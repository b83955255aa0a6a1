/** The improve loop's gate: tests if a candidate beats the incumbent, in new paired runs on cases that its author has not seen. */
import type { GateResult } from '../../../../schemas/history/gate.ts'
import { sampleMean } from '../stats/numbers/moments.ts'
import { round } from '../stats/numbers/round.ts'
import { keepComparable } from '../stats/scores/case_scores.ts'
import { moderatedT } from '../stats/tests/moderated_t.ts'
import { pairedT } from '../stats/tests/paired_t.ts'
import { permuteWithinCases } from '../stats/tests/permutation.ts'
import { signFlip } from '../stats/tests/sign_flip.ts'
import type { PairedCase } from './compared_case.ts'
import { isFutile } from './futility.ts'
import { checkGuards, type GuardMargins, isCertainlyWorse } from './guards.ts'

/** With fewer cases there is no verdict on similar cases (statistics.md, 2.8). */
export const leastCases = 8
/** The largest p-value over the cases (sign flip): a gain on some cases that others pay for does not count. */
const caseAlpha = 0.15
const seed = 20_260_115

export interface GateTrial {
  /** The version that it is compared with. */
  against: string
  cases: readonly PairedCase[]
  alpha: number
  blocks: number
  planned: number
  looks: readonly GateResult['looks'][number][]
  margins: GuardMargins
}

/**
 * Won: the permutation test of runs within cases (one-sided, exact where possible) is at most alpha, and the cases agree (sign flip). Also
 * no guard (cost, time, a single case) fails. Lost: worse at 5%, or a guard fails certainly. Tie: everything else.
 */
export function gateVerdict(met: GateTrial, alphaNow: number): GateResult {
  const cases = keepComparable(met.cases)
  const test = runGateTest(cases)
  const guards = checkGuards(cases, met.margins)
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
  return { ...shared, ...decideGateResult(test, { ...met, alpha: alphaNow }, guards) }
}

type Decision = Pick<GateResult, 'result' | 'reason'>

function decideGateResult(
  test: GateTest,
  { alpha, looks, blocks, planned }: GateTrial,
  guards: GateResult['guards'],
): Decision {
  const size = `${formatPointChange(test.means.difference)} points`
  const broken = guards.find(isCertainlyWorse)
  if (broken !== undefined) return { result: 'lost', reason: `${size}, but ${broken.message}` }
  if (test.below <= 0.05 && test.means.difference < 0) {
    return { result: 'lost', reason: `worse: ${size}, p ${formatGateP(test.below)}` }
  }
  const last = looks.at(-1)
  if (blocks < planned && last !== undefined && isFutile(last)) {
    const chance = `only a ${Math.round(100 * last.chance)}% chance of being accepted was left`
    return { result: 'tie', reason: `${size} after ${blocks} of ${planned} runs of each case: ${chance}` }
  }
  const p = `p ${formatGateP(test.above)}`
  if (test.above > alpha)
    return {
      result: 'tie',
      reason: `${size}, ${p}: above the threshold for this comparison, ${formatThreshold(alpha)}`,
    }
  if (test.isMixed && test.byCase > caseAlpha) {
    return {
      result: 'tie',
      reason: `${size}, ${p}, but some cases got better and others worse (p over cases ${formatGateP(test.byCase)})`,
    }
  }
  const open = guards.find(({ passed }) => passed === false)
  if (open !== undefined) return { result: 'tie', reason: `${size}, ${p}, but ${open.message}` }
  return { result: 'won', reason: `${size}, ${p}; threshold for this comparison: p ≤ ${formatThreshold(alpha)}` }
}

interface GateTest {
  means: Pick<GateResult, 'candidate_mean' | 'incumbent_mean' | 'difference'>
  interval: Pick<GateResult, 'ci_low' | 'ci_high'>
  /** One-sided, runs within cases. */
  above: number
  below: number
  /** One-sided, over the cases. */
  byCase: number
  /** Some case is worse. Without one, the cases do not disagree, even if few of them differ. */
  isMixed: boolean
  method: string
}

function runGateTest(cases: readonly PairedCase[]): GateTest {
  const differences = cases.map(({ candidate, baseline }) => sampleMean(candidate) - sampleMean(baseline))
  const { above, method } = permuteWithinCases(cases, seed)
  const turned = cases.map(({ candidate, baseline }) => ({ candidate: baseline, baseline: candidate }))
  const t = cases.length >= leastCases ? pairedT(differences, 0.05) : null
  const interval = t !== null && t.standardError > 0 ? t : moderatedT(cases, { alpha: 0.05 })
  const of = (side: 'candidate' | 'baseline') =>
    cases.length === 0 ? 0 : round(sampleMean(cases.map((one) => sampleMean(one[side]))), 6)
  return {
    means: {
      candidate_mean: of('candidate'),
      incumbent_mean: of('baseline'),
      difference: cases.length === 0 ? 0 : round(sampleMean(differences), 6),
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

/** "+22" or "−4". */
export function formatPointChange(share: number): string {
  const value = Math.round(100 * share)
  return value < 0 ? `−${-value}` : `+${value}`
}

function formatGateP(p: number): string {
  return p < 0.001 ? '< 0.001' : `= ${p.toFixed(3)}`
}

function formatThreshold(alpha: number): string {
  return alpha < 0.001 ? alpha.toPrecision(1) : alpha.toFixed(3)
}
