/** Decides an improve session once: is the version that the search found better than v0, or as good and cheaper, on held-out cases? Says before what it can detect. */
import type { MissingGrades } from '../../../../schemas/benchmark_statistics.ts'
import type { Certification } from '../../../../schemas/history/certification.ts'
import { normalCdf, normalQuantile } from '../stats/distributions/quantiles.ts'
import { round } from '../stats/numbers/round.ts'
import { missingRunsText } from '../stats/scopes/missing_grades.ts'
import { keepComparable } from '../stats/scores/case_scores.ts'
import { type ModeratedT, moderatedT } from '../stats/tests/moderated_t.ts'
import { differenceOfMeans, pairedT } from '../stats/tests/paired_t.ts'
import { pText } from '../text/format.ts'
import type { PairedCase } from './compare_held_out.ts'
import { type ComparedVersions, compareHeldOut, formatGain } from './compare_held_out.ts'
import { checkGuards, checkTokens, type GuardMargins, isCertainlyWorse } from './guards.ts'

/** The share of sessions that ship a version that is not better, where none is. Spent once, here. */
export const sessionAlpha = 0.05

export interface CertificationRequest extends ComparedVersions {
  goal: Certification['goal']
  margins: GuardMargins
  judge: Certification['judge']
  /** Runs without a grade that could decide; absent: none. */
  missing?: MissingGrades | undefined
}

/**
 * Won, goal better: the one-sided moderated t is at most alpha; where a case got worse, also the one-sided paired t over the cases;
 * and no guard fails. Won, goal cheaper: the pass rate is lower by less than the margin (one-sided, alpha), and the tokens are fewer for
 * certain. Lost: worse at alpha (cheaper: and not within the margin), or a guard fails for certain. Tie: everything else, and whatever runs
 * without a grade could decide.
 */
export function certify(request: CertificationRequest): Certification {
  const compared = compareHeldOut(request)
  const cases = keepComparable(request.cases)
  const test = testCases(cases)
  const guards = [...checkGuards(cases, request.margins), ...(request.goal === 'cheaper' ? [checkTokens(cases)] : [])]
  const { best, missing } = request
  const open = missing ? missingRunsText(missing, [`with ${best}`, 'with v0']) : 'no pair of runs was graded'
  const decided = test === null || missing ? ({ result: 'tie', reason: open } as const) : decide(test, guards, request)
  const made = {
    ...compared,
    ...decided,
    goal: request.goal,
    p_value: test === null ? null : round(test.above, 6),
    p_over_cases: test === null || test.overCases === null ? null : round(test.overCases, 6),
    alpha: sessionAlpha,
    guards,
    judge: request.judge,
  }
  return { ...made, sentence: describe(made) }
}

interface CertificationTest {
  mean: number
  /** One-sided p-values: the moderated t for better and worse, and the paired t over the cases. */
  above: number
  below: number
  overCases: number | null
  /** Some case is worse. Without one, the cases do not disagree, even if few of them differ. */
  isMixed: boolean
  /** Lower bound of the one-sided 95% interval. */
  low: number
}

function testCases(cases: readonly PairedCase[]): CertificationTest | null {
  // a two-sided 90% interval: its lower end is the one-sided 95% bound
  const t = moderatedT(cases, { alpha: 2 * sessionAlpha })
  if (t === null) return null
  const differences = cases.map(differenceOfMeans)
  return {
    mean: t.mean,
    above: oneSided(t, t.mean > 0),
    below: oneSided(t, t.mean < 0),
    overCases: testOverCases(differences),
    isMixed: differences.some((one) => one < 0),
    low: t.low,
  }
}

/** One-sided; null where the differences of the cases do not vary. */
function testOverCases(differences: readonly number[]): number | null {
  const found = pairedT(differences, sessionAlpha)
  return found === null || found.pValue === null ? null : oneSided({ pValue: found.pValue }, found.mean > 0)
}

function oneSided({ pValue }: Pick<ModeratedT, 'pValue'>, isThisSide: boolean): number {
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
    if (test.isMixed && test.overCases !== null && test.overCases > sessionAlpha) {
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

/** Variance of a run's score within a case, before any run (statistics.md, 2.1). */
const usualVariance = 1 / 6
const shownGains = [0.1, 0.2, 0.3]

export interface CertificationPower {
  /** From 0 to 1; 1 if nothing smaller can be shown. */
  detectable: number
  power: { gain: number; power: number }[]
}

/** The runs on held-out cases, both versions together, that show a true gain with this power. */
export function runsForPower(gain: number, power: number): number {
  const z = normalQuantile(1 - sessionAlpha) + normalQuantile(power)
  return Math.ceil(4 * usualVariance * (z / gain) ** 2)
}

/** `runs`: on held-out cases, both versions together. Normal approximation of the moderated t. */
export function certificationPower(runs: number): CertificationPower {
  const error = Math.sqrt((4 * usualVariance) / Math.max(1, runs))
  const critical = normalQuantile(1 - sessionAlpha)
  return {
    detectable: round(Math.min(1, (critical + normalQuantile(0.8)) * error), 6),
    power: shownGains.map((gain) => ({ gain, power: round(normalCdf(gain / error - critical), 4) })),
  }
}
