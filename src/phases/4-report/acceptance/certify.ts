/** Decides an improve session once: is the version that the search found better than v0, or as good and cheaper, on held-out cases? */
import type { Certification } from '../../../../schemas/history/certification.ts'
import { signTest } from '../stats/distributions/binomial.ts'
import { sampleMean } from '../stats/numbers/moments.ts'
import { round } from '../stats/numbers/round.ts'
import { keepComparable } from '../stats/scores/case_scores.ts'
import { type ModeratedT, moderatedT } from '../stats/tests/moderated_t.ts'
import { signFlip } from '../stats/tests/sign_flip.ts'
import { pText } from '../text/format.ts'
import { type ComparedVersions, compareHeldOut, formatGain } from './compare_held_out.ts'
import type { PairedCase } from './compared_case.ts'
import { checkGuards, checkTokens, type GuardMargins, isCertainlyWorse } from './guards.ts'

/** The share of sessions that ship a version that is not better, where none is. Spent once, here. */
export const sessionAlpha = 0.05

const seed = 20_260_115

export interface CertificationRequest extends ComparedVersions {
  goal: Certification['goal']
  margins: GuardMargins
  judge: Certification['judge']
}

/**
 * Won, goal better: the one-sided moderated t is at most alpha; where a case got worse, also the one-sided sign flip test over the cases;
 * and no guard fails. Won, goal cheaper: the pass rate is lower by less than the margin (one-sided, alpha), and the tokens are fewer for
 * certain. Lost: worse at alpha (cheaper: and not within the margin), or a guard fails for certain. Tie: everything else, and a win by
 * the runs that are left where those of the version broke more often.
 */
export function certify(request: CertificationRequest): Certification {
  const compared = compareHeldOut(request)
  const cases = keepComparable(request.cases)
  const test = testCases(cases)
  const guards = [...checkGuards(cases, request.margins), ...(request.goal === 'cheaper' ? [checkTokens(cases)] : [])]
  const decided =
    test === null ? ({ result: 'tie', reason: 'no pair of runs was graded' } as const) : decide(test, guards, request)
  const lost = decided.result === 'won' ? describeLostRuns(request) : null
  const decision = lost === null ? decided : ({ result: 'tie', reason: lost } as const)
  const made = {
    ...compared,
    ...decision,
    goal: request.goal,
    p_value: test === null ? null : round(test.above, 6),
    p_over_cases: test === null ? null : round(test.overCases, 6),
    alpha: sessionAlpha,
    guards,
    judge: request.judge,
  }
  return { ...made, sentence: describe(made) }
}

interface CertificationTest {
  mean: number
  /** One-sided p-values: the moderated t for better and worse, and the sign flip over the cases. */
  above: number
  below: number
  overCases: number
  /** Some case is worse. Without one, the cases do not disagree, even if few of them differ. */
  isMixed: boolean
  /** Lower bound of the one-sided 95% interval. */
  low: number
}

function testCases(cases: readonly PairedCase[]): CertificationTest | null {
  // a two-sided 90% interval: its lower end is the one-sided 95% bound
  const t = moderatedT(cases, { alpha: 2 * sessionAlpha })
  if (t === null) return null
  const differences = cases.map(({ candidate, baseline }) => sampleMean(candidate) - sampleMean(baseline))
  return {
    mean: t.mean,
    above: oneSided(t, t.mean > 0),
    below: oneSided(t, t.mean < 0),
    overCases: signFlip(differences, seed).above,
    isMixed: differences.some((one) => one < 0),
    low: t.low,
  }
}

function oneSided({ pValue }: ModeratedT, isThisSide: boolean): number {
  return isThisSide ? pValue / 2 : 1 - pValue / 2
}

type Decision = Pick<Certification, 'result' | 'reason'>

/** The reason says what decided beside the numbers of the sentence. */
function decide(
  test: CertificationTest,
  guards: Certification['guards'],
  { goal, margins }: Pick<CertificationRequest, 'goal' | 'margins'>,
): Decision {
  const broken = guards.find(isCertainlyWorse)
  if (broken !== undefined) return { result: 'lost', reason: broken.message }
  // a loss within the margin counts as the same, even if it is certain
  const isAsGood = goal === 'cheaper' && test.low > -margins.loss
  if (test.below <= sessionAlpha && !isAsGood)
    return { result: 'lost', reason: `the pass rate fell, ${pText(test.below)} (one-sided)` }
  if (goal === 'better') {
    if (test.above > sessionAlpha) return { result: 'tie', reason: `not statistically significant at ${sessionAlpha}` }
    if (test.isMixed && test.overCases > sessionAlpha) {
      return { result: 'tie', reason: `some cases got better and others worse (over cases ${pText(test.overCases)})` }
    }
  } else if (!isAsGood) {
    const least = `${Math.round(100 * test.low)} points`
    return {
      result: 'tie',
      reason: `a difference of ${least} is not ruled out (at most a loss of ${Math.round(100 * margins.loss)} may be)`,
    }
  }
  const open = guards.find(({ passed, name }) => passed === false || (name === 'tokens' && passed !== true))
  if (open !== undefined) return { result: 'tie', reason: open.message }
  return {
    result: 'won',
    reason: goal === 'better' ? 'statistically significant, and no guard failed' : tokensText(guards),
  }
}

/**
 * null: the version lost no more runs than v0. Runs that broke have no score and their cases may drop out, so a version whose runs break
 * would otherwise be judged by the rest. One-sided sign test over the pairs with one run lost, or a case that only v0 could do, twice, while
 * all runs of v0 ended.
 */
export function describeLostRuns({
  best,
  first = 'v0',
  cases,
}: Pick<CertificationRequest, 'best' | 'cases'> & { first?: string }): string | null {
  const pairs = cases.map(({ candidate, baseline, numbers }) => {
    const now = new Set(numbers?.candidate ?? candidate.map((_, at) => at + 1))
    const before = new Set(numbers?.baseline ?? baseline.map((_, at) => at + 1))
    return { now, before, all: new Set([...now, ...before]).size }
  })
  const sum = (count: (pair: (typeof pairs)[number]) => number) => pairs.reduce((all, pair) => all + count(pair), 0)
  const [lost, lostBefore] = [sum(({ now, all }) => all - now.size), sum(({ before, all }) => all - before.size)]
  const isGone = lostBefore === 0 && pairs.some(({ now, before }) => now.size === 0 && before.size > 1)
  if (!isGone && signTest(lost, lostBefore, 1) > sessionAlpha) return null
  const all = sum((pair) => pair.all)
  return `${lost} of ${all} runs with ${best} broke and have no result, and ${lostBefore} of ${all} with ${first}`
}

function tokensText(guards: Certification['guards']): string {
  return guards.find(({ name }) => name === 'tokens')?.message ?? 'fewer tokens'
}

const verdicts = {
  better: { won: 'Better', lost: 'Worse', tie: 'Not shown to be better' },
  cheaper: { won: 'As good and cheaper', lost: 'Worse', tie: 'Not shown to be as good and cheaper' },
} as const

/** The verdict first, then the numbers; if it did not win, why. The p-value for better is of no use to a loss, or to goal cheaper. */
function describe(made: Omit<Certification, 'sentence'>): string {
  const { result, reason, goal, p_value, scope } = made
  const isPlain = result === 'won' && goal === 'better'
  const about = scope === 'these_cases' && result === 'won' ? '. This holds for these cases' : ''
  const p = goal === 'better' && result !== 'lost' ? `one-sided ${pText(p_value)}` : ''
  const known = made.gain.n_cases === 0 ? reason : formatGain(made, p) + (isPlain ? '' : `; ${reason}`)
  return `${verdicts[goal][result]}: ${known}${about}.`
}
