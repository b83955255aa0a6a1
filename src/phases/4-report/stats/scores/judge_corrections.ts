/** Corrects the difference, and the rates of both arms in it, for the judge's errors as people's labels show them. */
import type { Scope, ScopeDifference, Statistics } from '../../../../../schemas/benchmark_statistics.ts'
import type { GradedExpectation } from '../../../../../schemas/grading.ts'
import { relativeWeights, verdictScore } from '../../../../../schemas/pass_rate.ts'
import type { BenchmarkArms } from '../../benchmark/arms.ts'
import { formatConfiguration, pText } from '../../text/format.ts'
import { normalCdf, normalQuantile } from '../distributions/quantiles.ts'
import { clipInterval, type Interval } from '../numbers/describe.ts'
import { sampleMean } from '../numbers/moments.ts'
import { round, roundPValue } from '../numbers/round.ts'
import type { ScopeNumbers } from '../scopes/these_cases.ts'
import { decideScope, type VerdictOptions } from '../scopes/verdict.ts'
import { hasTooFewRuns } from '../scopes/verdict_sentences.ts'
import { keepComparable } from './case_scores.ts'
import {
  correctShare,
  findJudgeSample,
  type JudgeErrors,
  type SmoothedErrors,
  smoothJudgeErrors,
} from './judge_error.ts'
import { keepCounted, rulesApply, type ScoredCase, type ScoredRun } from './scored_runs.ts'

interface Request {
  arms: BenchmarkArms
  errors: JudgeErrors | null
  alpha: number
  /** On these cases, as the judge gives it; null: there is none. */
  difference: Pick<ScopeDifference, 'mean' | 'ci_low' | 'ci_high'> | null
}

type Side = keyof ScoredCase['runs']

/** null: it can't be corrected; undefined: the judge's verdicts have no labels. */
export function correctScopeDifference(
  cases: readonly ScoredCase[],
  { errors, arms, alpha, difference }: Request,
): Statistics['judge_difference'] {
  if (errors === null) return undefined
  // pooled errors would be wrong for both
  if (errors.favours !== undefined && errors.byConfiguration === null) return null
  const { mean = null, ci_low: low = null, ci_high: high = null } = difference ?? {}
  const comparable = keepComparable(cases)
  const [candidate, baseline] = [measureSide(comparable, 'candidate', arms), measureSide(comparable, 'baseline', arms)]
  if (mean === null || low === null || high === null || candidate === null || baseline === null) return null
  const names = { candidate: arms.candidate ?? '', baseline: arms.baseline ?? '' }
  const parts = { candidate, baseline }
  const found = correctDifference({ parts, judged: { mean, low, high }, errors, arms: names, alpha })
  if (found === null) return null
  return {
    mean: at(found.mean),
    candidate_mean: at(found.candidate),
    baseline_mean: at(found.baseline),
    ci_low: at(found.low),
    ci_high: at(found.high),
    errors: errors.byConfiguration === null ? 'pooled' : 'by_configuration',
    ...(errors.favours && { as_judged: { mean, ci_low: low, ci_high: high } }),
  }
}

/** The rule of a scope without a verdict, because the judge favours a configuration. */
export const judgeFavours = 'judge_favours_a_configuration'

/** `sentence`: why there is no verdict; null: the scope stays. */
export function withholdForJudge(scope: Scope, sentence: string | null): Scope {
  if (sentence === null) return scope
  const untested = { ...scope.difference, ...noInterval, p_value: null, p_method: null }
  return { difference: untested, verdict: 'inconclusive', rule: judgeFavours, sentence, needed_for_margin: null }
}

const noInterval = { ci_low: null, ci_high: null, method: null }

/** Of a difference that can't be corrected: too few labels of a configuration, or a judge that guesses there. */
export function favouringJudgeSentence({ favours, byConfiguration }: JudgeErrors): string {
  if (favours === undefined) return ''
  const { configuration, pValue } = favours
  const why =
    byConfiguration === null
      ? 'its errors can\'t be corrected from so few labels. No verdict: label more with "whetstone audit"'
      : 'it is not better than chance in one configuration. No verdict: use another judge'
  return `The judge favours runs ${formatConfiguration(configuration)} (${pText(pValue)}), and ${why}.`
}

/** The claim about these cases with the corrected difference in place of the judge's; p from the corrected interval. null: not corrected. */
export function correctScope(
  judged: ScopeNumbers,
  corrected: Statistics['judge_difference'],
  options: VerdictOptions,
): ScopeNumbers | null {
  if (!corrected?.as_judged) return null
  const { errors: _, as_judged: __, ...numbers } = corrected
  const { mean, ci_low: low, ci_high: high } = numbers
  const error = (mean > 0 ? mean - low : high - mean) / normalQuantile(1 - options.alpha / 2)
  const isTested = judged.difference.p_value !== null
  const p_value = isTested ? roundPValue(2 * normalCdf(-Math.abs(mean) / error)) : null
  const methods = { method: 'judge_corrected', p_method: isTested ? 'judge_corrected' : null } as const
  const difference = { ...judged.difference, ...numbers, ...methods, p_value }
  const tooSmall = hasTooFewRuns(judged.rule) ? judged.rule : null
  return { difference, ...decideScope(difference, { ...options, tooSmall }), needed_for_margin: null }
}

function measureSide(cases: readonly ScoredCase[], side: Side, arms: BenchmarkArms) {
  const own = cases.map((one) => one.runs[side]).filter((runs) => runs.length > 0)
  return measureJudgedParts(own, rulesApply(arms))
}

function at(value: number): number {
  return round(value, 6)
}

interface DifferenceRequest {
  /** Of the same cases in both arms. */
  parts: { candidate: JudgedParts; baseline: JudgedParts }
  /** The difference as the judge gives it, with the interval of its runs. */
  judged: Interval & { mean: number }
  errors: JudgeErrors
  arms: { candidate: string; baseline: string }
  alpha: number
}

interface JudgedSide {
  rate: number
  errors: SmoothedErrors
  judged: number
  /** The change of the rate with the specificity and with the sensitivity. */
  bySpecificity: number
  bySensitivity: number
}

/**
 * Both sources of error add as variances: the runs' interval, widened as the correction widens the difference, and the labels' variance by
 * the delta method. Labels shared by both arms move both rates alike, so their slopes are subtracted before they are squared.
 * null: the judge is not better than chance.
 */
export function correctDifference(request: DifferenceRequest): CorrectedDifference | null {
  const { parts, judged, errors, arms, alpha } = request
  const a = correctSide(parts.candidate, errors, arms.candidate)
  const b = correctSide(parts.baseline, errors, arms.baseline)
  if (a === null || b === null) return null
  const mean = a.rate - b.rate
  const widened = Math.max(...[a, b].map((side) => (side.judged === 0 ? 1 : 1 / side.errors.slope)))
  const labels = normalQuantile(1 - alpha / 2) * Math.sqrt(labelVariance(a, b, errors.byConfiguration === null))
  const ends = clipInterval(
    {
      low: mean - Math.hypot((judged.mean - judged.low) * widened, labels),
      high: mean + Math.hypot((judged.high - judged.mean) * widened, labels),
    },
    [-1, 1],
  )
  return { mean, candidate: a.rate, baseline: b.rate, ...ends }
}

interface CorrectedDifference extends Interval {
  mean: number
  candidate: number
  baseline: number
}

function correctSide(
  { judged, judgedMet, otherMet }: JudgedParts,
  errors: JudgeErrors,
  arm: string,
): JudgedSide | null {
  const sample = findJudgeSample(errors, arm)
  const smoothed = smoothJudgeErrors(sample)
  if (smoothed === null) return null
  const share = judged === 0 ? 0 : correctShare(judgedMet / judged, sample)
  return {
    rate: judged * share + otherMet,
    errors: smoothed,
    judged,
    bySpecificity: (judged * (1 - share)) / smoothed.slope,
    bySensitivity: (-judged * share) / smoothed.slope,
  }
}

function labelVariance(a: JudgedSide, b: JudgedSide, isPooled: boolean): number {
  const ofSide = ({ errors, bySpecificity, bySensitivity }: Omit<JudgedSide, 'rate' | 'judged'>) =>
    bySpecificity ** 2 * errors.variance.specificity + bySensitivity ** 2 * errors.variance.sensitivity
  if (!isPooled) return ofSide(a) + ofSide(b)
  return ofSide({
    errors: a.errors,
    bySpecificity: a.bySpecificity - b.bySpecificity,
    bySensitivity: a.bySensitivity - b.bySensitivity,
  })
}

/** Shares of the arm's rate: means over cases of the means of their runs. */
interface JudgedParts {
  judged: number
  judgedMet: number
  /** Of all: decided otherwise, and passed. */
  otherMet: number
}

/** `own`: the runs of each case of the arm, none empty. null: no run, or one has no list of verdicts. */
function measureJudgedParts(
  own: readonly (readonly ScoredRun[])[],
  /** As for the scores: whether the wording rules mark indicators. */
  byRule: boolean,
): JudgedParts | null {
  const found = own.map((runs) => runs.map(({ run }) => measureRun(run.expectations, byRule)))
  const all = found.flat()
  if (all.length === 0 || all.some((one) => one === null)) return null
  const known = found.map((some) => some.flatMap((one) => one ?? []))
  const meanOf = (of: (one: JudgedParts) => number) => sampleMean(known.map((some) => sampleMean(some.map(of))))
  return {
    judged: meanOf((one) => one.judged),
    judgedMet: meanOf((one) => one.judgedMet),
    otherMet: meanOf((one) => one.otherMet),
  }
}

function measureRun(expectations: readonly GradedExpectation[], byRule: boolean): JudgedParts | null {
  const counted = keepCounted(expectations, byRule)
  if (counted.length === 0) return null
  const weights = relativeWeights(counted)
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const share = (of: (one: GradedExpectation) => number) =>
    sum(counted.map((one, index) => (weights[index] ?? 0) * of(one))) / sum(weights)
  return {
    judged: share((one) => (isJudged(one) ? 1 : 0)),
    judgedMet: share((one) => (isJudged(one) ? verdictScore(one) : 0)),
    otherMet: share((one) => (isJudged(one) ? 0 : verdictScore(one))),
  }
}

/** A fractional score is no verdict that could be wrong or right, so it is not corrected. */
function isJudged({ decided_by, score }: GradedExpectation): boolean {
  return decided_by === 'judge' && (score === undefined || score === 0 || score === 1)
}
