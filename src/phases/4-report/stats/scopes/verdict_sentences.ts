/** Writes the sentence of each scope: the verdict word first, then both pass rates, the difference, its interval and its p-value. */
import type { ScopeDifference, Statistics, Verdict } from '../../../../../schemas/benchmark_statistics.ts'
import {
  type ArmPairing,
  type BenchmarkArms,
  classifyArmPairing,
  describeArm,
  describeCandidate,
  nameArm,
} from '../../benchmark/arms.ts'
import {
  formatDifference,
  formatInterval,
  formatPercent,
  formatPlural,
  formatRange,
  formatRates,
  formatWholePoints,
  pText,
} from '../../text/format.ts'
import { sampleMean } from '../numbers/moments.ts'
import { usualPower } from '../statistics_options.ts'
import type { ScopeNumbers } from './these_cases.ts'

export interface SentenceContext {
  pairing: ArmPairing
  candidate: string
  baseline: string
  alpha: number
  margin: number
  /** Fewest and most runs per case and configuration. */
  runs: readonly [number, number]
  /** Cases graded in one configuration only. */
  unpaired: number
  isSequential: boolean
}

type Described = Pick<Statistics, 'alpha' | 'margin' | 'cases' | 'unpaired_cases' | 'until'>

export function describeDesign(statistics: Described, arms: BenchmarkArms): SentenceContext {
  const paired = statistics.cases.filter(({ runs_a, runs_b }) => runs_a > 0 && runs_b > 0)
  const runs = paired.flatMap(({ runs_a, runs_b }) => [runs_a, runs_b])
  const graded = statistics.cases.filter(({ runs_a, runs_b }) => runs_a + runs_b > 0)
  return {
    pairing: classifyArmPairing(arms),
    candidate: arms.candidate ?? '',
    baseline: arms.baseline ?? '',
    alpha: statistics.alpha,
    margin: statistics.margin,
    runs: [Math.min(...runs), Math.max(...runs)],
    unpaired: statistics.unpaired_cases?.length ?? graded.length - paired.length,
    isSequential: statistics.until !== undefined,
  }
}

/** The rates behind the difference; null: nothing to compare. Files with schema_version 1 have them by case only. */
export function readScopeRates(
  { mean, candidate_mean: candidate, baseline_mean: baseline }: ScopeDifference,
  { cases }: Pick<Statistics, 'cases'>,
): { candidate: number; baseline: number } | null {
  if (mean === null) return null
  if (candidate !== undefined && baseline !== undefined) return { candidate, baseline }
  const paired = cases.flatMap(({ mean_a, mean_b }) => (mean_a === null || mean_b === null ? [] : [[mean_a, mean_b]]))
  const meanOf = (side: number) => sampleMean(paired.map((pair) => pair[side] ?? 0))
  return { candidate: meanOf(0), baseline: meanOf(1) }
}

/** "Helps: pass rate 94% with the skill, 32% without: +62 points, 95% CI [39, 84], p < 0.001 (4 cases × 3 runs)." */
export function theseCasesSentence(
  scope: ScopeNumbers,
  rates: { candidate: number; baseline: number } | null,
  context: SentenceContext,
): string {
  const { difference, verdict, rule } = scope
  if (rates === null) {
    if (verdict !== 'not_comparable') return `Inconclusive: ${rule}.`
    const left =
      context.unpaired === 0 ? '' : `; left out: ${formatPlural(context.unpaired, 'case')} graded in one only`
    return `Not comparable: no case was graded in both configurations${left}.`
  }
  const shown = formatRates(rates.candidate, rates.baseline)
  const facts = [
    `${rateWords[context.pairing](shown, context)}: ${shown.difference} points`,
    formatInterval(difference, context.alpha),
    // a small p-value would contradict the advice of a design that is too small
    hasTooFewRuns(rule) ? '' : pText(difference.p_value),
  ].filter((part) => part !== '')
  const advice = adviceText(scope, context)
  return `${verdictText(verdict, context).replace(/^the /, 'The ')}: ${facts.join(', ')} (${sampleText(difference, context)}).${advice === '' ? '' : ` ${advice}`}`
}

/** "Similar cases: helps, +62 points, 95% CI [39, 84], p < 0.001 (8 cases)." */
export function similarCasesSentence(scope: ScopeNumbers, context: SentenceContext): string {
  const { difference, verdict, needed_for_margin: needed = null } = scope
  if (context.pairing === 'itself') return 'Similar cases: not tested in a calibration.'
  if (verdict === 'not_comparable') return 'Similar cases: not comparable.'
  const more = needed === null ? '' : `${formatPlural(needed, 'more case')} would ${powerText(context)}`
  const cases = formatPlural(difference.n_cases, 'case')
  if (difference.ci_low === null || difference.ci_high === null) {
    return `Similar cases: inconclusive, ${scope.rule} (${cases}).`
  }
  const facts = [
    `${formatDifference(difference)} points`,
    formatInterval(difference, context.alpha),
    pText(difference.p_value),
  ].filter((part) => part !== '')
  const tail = context.isSequential
    ? '; no verdict, because interim analyses ended the runs'
    : verdict === 'inconclusive' && more !== ''
      ? `; ${more}`
      : ''
  const isNamed = context.pairing === 'names' && (verdict === 'helps' || verdict === 'hurts')
  const word = isNamed ? verdictText(verdict, context) : verdictNames[verdict]
  return `Similar cases: ${word}, ${facts.join(', ')} (${cases})${tail}.`
}

const verdictNames: Record<Verdict, string> = {
  helps: 'helps',
  hurts: 'hurts',
  too_easy: 'too easy',
  too_hard: 'too hard',
  no_difference: 'no difference',
  inconclusive: 'inconclusive',
  not_comparable: 'not comparable',
  incomplete: 'incomplete',
}

function verdictText(verdict: Verdict, { pairing, candidate, baseline }: SentenceContext): string {
  const isSignificant = verdict === 'helps' || verdict === 'hurts'
  if (isSignificant && pairing === 'itself') return 'Baseline differs from itself'
  if (isSignificant && pairing === 'names')
    return `${nameArm(candidate)} ${verdict === 'helps' ? 'beats' : 'loses to'} ${nameArm(baseline)}`
  const name = verdictNames[verdict]
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}

type ShownRates = ReturnType<typeof formatRates>

const rateWords: Record<ArmPairing, (shown: ShownRates, context: SentenceContext) => string> = {
  skill: (shown, arms) => `pass rate ${shown.candidate} ${describeCandidate(arms)}, ${shown.baseline} without`,
  versions: ({ candidate, baseline }) => `pass rate ${candidate} with the new version, ${baseline} with the old`,
  itself: ({ candidate, baseline }) => `pass rate ${candidate} and ${baseline} for the baseline against itself`,
  names: (shown, { candidate, baseline }) =>
    `pass rate ${shown.candidate} ${describeArm(candidate)}, ${shown.baseline} ${describeArm(baseline)}`,
}

function sampleText(
  { n_cases: cases, method }: ScopeDifference,
  { runs, unpaired, isSequential }: SentenceContext,
): string {
  const [fewest, most] = runs
  const each = `${formatRange(fewest, most)} ${most === 1 ? 'run' : 'runs'}`
  const stopping = isSequential ? ', adaptive stopping' : ''
  const left = unpaired === 0 ? '' : `; left out: ${formatPlural(unpaired, 'case')} graded in one configuration only`
  const corrected = method === 'judge_corrected' ? "; corrected for the judge's errors" : ''
  return `${formatPlural(cases, 'case')} × ${each}${stopping}${left}${corrected}`
}

/** "find a difference of 10 points with 80% power" */
function powerText({ margin }: SentenceContext): string {
  return `find a difference of ${formatWholePoints(margin, false)} points with ${formatPercent(usualPower)} power`
}

/** Whether the rule of a verdict says that no result of this design could be significant. */
export function hasTooFewRuns(rule: string): boolean {
  return rule.startsWith('even if')
}

function adviceText(
  { verdict, rule, needed_for_margin: needed = null }: ScopeNumbers,
  context: SentenceContext,
): string {
  const { pairing, margin } = context
  switch (verdict) {
    case 'helps':
    case 'hurts':
      return pairing === 'itself' ? 'This is rarely due to chance: check what changed between the two.' : ''
    case 'too_easy':
      return 'Both configurations pass nearly everything: add harder cases.'
    case 'too_hard':
      return 'Both configurations fail nearly everything: add easier cases, or fix what blocks them.'
    case 'no_difference':
      return `The interval is within ±${formatWholePoints(margin, false)} points.`
    case 'not_comparable':
    case 'incomplete':
      return ''
    case 'inconclusive': {
      if (pairing === 'itself') return ''
      if (hasTooFewRuns(rule)) return `${rule.slice(0, 1).toUpperCase()}${rule.slice(1)}.`
      return needed === null
        ? ''
        : `${formatPlural(needed, 'run')} per case and configuration would ${powerText(context)}.`
    }
  }
}
