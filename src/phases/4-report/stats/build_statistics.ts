/** Builds the `statistics` of a benchmark from its graded runs. */
import type { BenchmarkRun } from '../../../../schemas/benchmark.ts'
import type { MissingGrades, Scope, Statistics } from '../../../../schemas/benchmark_statistics.ts'
import { armNames, type BenchmarkArms, isCalibration } from '../benchmark/arms.ts'
import { withholdVerdict } from '../benchmark/older_runs/withhold_verdict.ts'
import { wilson } from './distributions/binomial.ts'
import { exactPValue } from './distributions/exact_permutation.ts'
import { sampleMean, sampleVariance } from './numbers/moments.ts'
import { round, roundPValue } from './numbers/round.ts'
import { minimumDetectable } from './power/power.ts'
import { untilDecided } from './power/stopping_rule.ts'
import { buildPrice } from './price/build_price.ts'
import { findMissingGrades, incompleteHeadline, withoutMissingGrades } from './scopes/missing_grades.ts'
import { computeRatio } from './scopes/ratio.ts'
import { casesLikeThese, sampleInterval } from './scopes/similar_cases.ts'
import { type ScopeNumbers, theseCases } from './scopes/these_cases.ts'
import {
  describeDesign,
  readScopeRates,
  type SentenceContext,
  similarCasesSentence,
  theseCasesSentence,
} from './scopes/verdict_sentences.ts'
import { summarizeActivation } from './scores/activation.ts'
import { type CaseScores, keepComparable } from './scores/case_scores.ts'
import { expectationRows } from './scores/expectations.ts'
import {
  correctScope,
  correctScopeDifference,
  favouringJudgeSentence,
  withholdForJudge,
} from './scores/judge_corrections.ts'
import { type ScoredCase, type ScoredRun, scoredCases } from './scores/scored_runs.ts'
import { type StatisticsOptions, usualOptions, usualPower } from './statistics_options.ts'
import { holm } from './tests/adjusted_p_values.ts'
import { moderatedT } from './tests/moderated_t.ts'
import { differenceOfMeans } from './tests/paired_t.ts'
import { buildVariance } from './variance/build_variance.ts'

/** Pure; the order of the runs does not matter. `changes`: overrides of the usual options. */
export function buildStatistics(
  runs: readonly BenchmarkRun[],
  arms: BenchmarkArms,
  changes: Partial<StatisticsOptions> = {},
): Statistics {
  const options = { ...usualOptions, ...changes }
  const ordered = [...runs].sort((a, b) => a.eval_id - b.eval_id || a.run_number - b.run_number)
  const cases = scoredCases(ordered, arms)
  const expectations = expectationRows(ordered, arms)
  const sides = [
    { name: arms.candidate, side: 'candidate' as const },
    { name: arms.baseline, side: 'baseline' as const },
  ].flatMap(({ name, side }) => (name === null ? [] : { name, own: cases.map((one) => one.runs[side]) }))
  const byArm = <T>(of: (own: (typeof sides)[number]['own']) => T) =>
    Object.fromEntries(sides.map(({ name, own }) => [name, of(own.filter((runsOfCase) => runsOfCase.length > 0))]))
  const tallies = (own: (typeof sides)[number]['own']) =>
    own.map((some) => ({ runs: some.length, passed: some.filter((one) => one.allPassed).length }))
  const { sequential } = options
  const until = sequential === null ? null : untilDecided(cases, sequential, options)
  const described = {
    cases: cases.map((one) => buildStatisticsCase(one, options.alpha)),
    unpaired_cases: listUnpairedCases(cases),
    ...(until && { until }),
  }
  const missing = findMissingGrades(cases, { runs: ordered, leftOut: options.leftOut, arms })
  const design = describeDesign({ ...described, ...options }, arms)
  const { judge: errors, alpha } = options
  const judged = armNames(arms).length < 2 ? null : theseCases(cases, options)
  const corrected = correctScopeDifference(cases, { arms, errors, alpha, difference: judged?.difference ?? null })
  const scopes = judged && buildScopes(cases, options, { judged, corrected, design, missing, arms })
  const favours = errors?.favours && `the judge favours ${errors.favours.configuration}`
  return {
    schema_version: 2,
    alpha,
    seed: options.seed,
    margin: options.margin,
    scopes,
    arms: byArm((own) => buildArmRow(own, options.alpha)),
    cases: described.cases,
    ...(armNames(arms).length > 1 && { unpaired_cases: described.unpaired_cases }),
    pass_at_k: byArm((own) => roundValues(meanOverCases(tallies(own), passAtK))),
    pass_hat_k: byArm((own) => roundValues(meanOverCases(tallies(own), passHatK))),
    ratios: metricRatios(cases, options),
    ...(scopes !== null &&
      !isCalibration(arms) && {
        price: buildPrice(cases, { ...options, withheld: missing ? 'the benchmark is incomplete' : (favours ?? null) }),
      }),
    ...(scopes !== null &&
      sequential === null && { variance: buildVariance(cases, options.noise?.grading?.grading_variance ?? null) }),
    mde: computeDetectable(cases, options),
    ...(missing && { missing_grades: missing }),
    ...(until && { until }),
    ...(options.olderRuns && { older_runs: options.olderRuns }),
    noise: options.noise,
    activation: summarizeActivation(scopes === null ? cases : keepComparable(cases), arms),
    expectations,
    comparisons: compareCases(cases),
    judge_difference: corrected,
  }
}

interface ScopeParts {
  /** By the verdicts of the judge. */
  judged: ScopeNumbers
  corrected: Statistics['judge_difference']
  design: SentenceContext
  missing: MissingGrades | null
  arms: BenchmarkArms
}

function buildScopes(
  cases: readonly ScoredCase[],
  options: StatisticsOptions,
  { judged, corrected, design, missing, arms }: ScopeParts,
): { these_cases: Scope; cases_like_these: Scope } {
  const own = correctScope(judged, corrected, options) ?? judged
  const similar = casesLikeThese(cases, options)
  const rates = readScopeRates(own.difference, { cases: [] })
  const decide = (scope: Scope, withheld: string | null, open: string) =>
    withoutMissingGrades(withholdVerdict(withholdForJudge(scope, withheld), options.olderRuns), missing, open)
  return {
    these_cases: decide(
      { ...own, sentence: theseCasesSentence(own, rates, design) },
      options.judge?.favours && own === judged ? favouringJudgeSentence(options.judge) : null,
      missing === null ? '' : incompleteHeadline(missing, arms, options.olderRuns),
    ),
    cases_like_these: decide(
      { ...similar, sentence: similarCasesSentence(similar, design) },
      options.judge?.favours ? 'Similar cases: not tested, because the judge favours a configuration.' : null,
      'Similar cases: incomplete.',
    ),
  }
}

/** Graded in one configuration only. */
function listUnpairedCases(cases: readonly ScoredCase[]): number[] {
  return cases.flatMap(({ evalId, candidate, baseline }) =>
    (candidate.length === 0) === (baseline.length === 0) ? [] : evalId,
  )
}

function roundValues(found: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(found).map(([k, value]) => [k, round(value, 6)]))
}

type Metric = keyof Statistics['ratios']

function metricRatios(
  cases: readonly ScoredCase[],
  { alpha, isAnotherHour }: Pick<StatisticsOptions, 'alpha' | 'isAnotherHour'>,
): Statistics['ratios'] {
  const of = (metric: Metric) => {
    if (isAnotherHour && metric !== 'tokens') return null
    const known = cases.map(({ runs }) => ({
      candidate: readMetricValues(runs.candidate, metric),
      baseline: readMetricValues(runs.baseline, metric),
    }))
    const found = computeRatio(known, alpha)
    if (found === null) return null
    const { low, high } = found
    return {
      ratio: round(found.ratio, 6),
      ci_low: low === null ? null : round(low, 6),
      ci_high: high === null ? null : round(high, 6),
      method: 'log_ratio_t' as const,
      n_cases: found.cases,
    }
  }
  return { time_seconds: of('time_seconds'), tokens: of('tokens'), cost_usd: of('cost_usd') }
}

function readMetricValues(runs: readonly ScoredRun[], metric: Metric): number[] {
  return runs.flatMap(({ run }) => run.result[metric] ?? [])
}

/** If two runs of a case differ with at least this chance, the case is flaky. */
const flakyChance = 0.3

/** `own`: the runs of each case of the arm, none empty. */
function buildArmRow(own: readonly (readonly ScoredRun[])[], alpha: number): Statistics['arms'][string] {
  const runs = own.flat()
  const passed = runs.filter((one) => one.allPassed).length
  const { low, high } = wilson(passed, runs.length, alpha)
  const shares = runs.map(({ share }) => share)
  return {
    n_cases: own.length,
    n_runs: runs.length,
    mean: own.length === 0 ? 0 : round(sampleMean(own.map((some) => sampleMean(some.map(({ share }) => share)))), 6),
    stddev: round(Math.sqrt(sampleVariance(shares)), 6),
    all_passed: passed,
    wilson: { ci_low: round(low, 6), ci_high: round(high, 6) },
  }
}

function buildStatisticsCase(one: ScoredCase, alpha: number): Statistics['cases'][number] {
  const { candidate, baseline, runs } = one
  const interval = moderatedT([one], { alpha })
  const flakiness = Math.max(
    ...[runs.candidate, runs.baseline].map((some) =>
      disagreement(some.length, some.filter(({ allPassed }) => allPassed).length),
    ),
  )
  return {
    eval_id: one.evalId,
    mean_a: candidate.length === 0 ? null : round(sampleMean(candidate), 6),
    mean_b: baseline.length === 0 ? null : round(sampleMean(baseline), 6),
    runs_a: candidate.length,
    runs_b: baseline.length,
    difference: interval === null ? null : round(interval.mean, 6),
    ci_low: interval === null ? null : round(interval.low, 6),
    ci_high: interval === null ? null : round(interval.high, 6),
    flaky: flakiness >= flakyChance,
    flakiness: round(flakiness, 6),
  }
}

/** The exact permutation test of each case alone, adjusted for their number; cases that can't be counted are omitted. */
function compareCases(cases: readonly ScoredCase[]): Statistics['comparisons'] {
  const found = keepComparable(cases).flatMap((one) => {
    const p = exactPValue([one])
    return p === null ? [] : { eval_id: one.evalId, p }
  })
  const adjusted = holm(found.map(({ p }) => p))
  return found.map(({ eval_id, p }, at) => ({
    eval_id,
    p_value: roundPValue(p),
    p_adjusted: roundPValue(adjusted[at] ?? 1),
    method: 'holm',
  }))
}

/** The chance that at least one of k runs passes: 1 − C(n−c, k) / C(n, k). null: n < k. */
export function passAtK(n: number, c: number, k: number): number | null {
  const none = choiceRatio(n, n - c, k)
  return none === null ? null : 1 - none
}

/** The chance that all of k runs pass: C(c, k) / C(n, k). null: n < k. */
export function passHatK(n: number, c: number, k: number): number | null {
  return choiceRatio(n, c, k)
}

/** C(some, k) / C(n, k), as a product. */
function choiceRatio(n: number, some: number, k: number): number | null {
  if (n < k) return null
  let ratio = 1
  for (let at = 0; at < k; at += 1) ratio *= Math.max(0, some - at) / (n - at)
  return ratio
}

/** The values of k that get a row. */
const shownKs = [1, 2, 3, 5, 10]

export function meanOverCases(
  cases: readonly { runs: number; passed: number }[],
  estimate: (n: number, c: number, k: number) => number | null,
): Record<string, number> {
  const found: Record<string, number> = {}
  for (const k of shownKs) {
    const values = cases.map(({ runs, passed }) => estimate(runs, passed, k))
    if (values.length === 0 || values.includes(null)) continue
    found[String(k)] = values.reduce((sum: number, one) => sum + (one ?? 0), 0) / values.length
  }
  return found
}

/** The unbiased chance that two runs of a case differ in pass or fail; 0 with fewer than two runs. */
export function disagreement(n: number, c: number): number {
  return n < 2 ? 0 : (2 * c * (n - c)) / (n * (n - 1))
}

/** From the observed variance. null: it is 0 or not known; for similar cases also without a t interval or with adaptive stopping. */
export function computeDetectable(
  cases: readonly CaseScores[],
  { alpha, sequential }: Pick<StatisticsOptions, 'alpha' | 'sequential'>,
): Statistics['mde'] {
  const known = keepComparable(cases)
  const differences = known.map(differenceOfMeans)
  const own = moderatedT(known, { alpha })
  const sample = { variance: sampleVariance(differences), cases: differences.length, df: differences.length - 1 }
  const isTested = sequential === null && sampleInterval(known, alpha)?.method === 'paired_t'
  return {
    power: usualPower,
    these_cases: own && detectableEffect({ variance: own.standardError ** 2, cases: 1, df: own.df }, alpha),
    cases_like_these: isTested ? detectableEffect(sample, alpha) : null,
  }
}

/** null: nothing varies. */
function detectableEffect({ variance, ...size }: { variance: number; cases: number; df: number }, alpha: number) {
  const spread = { between: variance, candidate: 0, baseline: 0 }
  return variance === 0 ? null : round(minimumDetectable({ ...size, ...spread, runs: 1, alpha, power: usualPower }), 6)
}
