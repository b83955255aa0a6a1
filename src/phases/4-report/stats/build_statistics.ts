/** Builds the `statistics` of a benchmark from its graded runs. */
import type { BenchmarkRun } from '../../../../schemas/benchmark.ts'
import type { MissingGrades, Scope, Statistics } from '../../../../schemas/benchmark_statistics.ts'
import { armNames, type BenchmarkArms, isCalibration } from '../benchmark/arms.ts'
import { withholdVerdict } from '../benchmark/older_runs/withhold_verdict.ts'
import { round } from './numbers/round.ts'
import { computeDetectable } from './power/detectable_effect.ts'
import { untilDecided } from './power/stopping_rule.ts'
import { buildPrice } from './price/build_price.ts'
import { metricRatios } from './scopes/metric_ratios.ts'
import { findMissingGrades, incompleteHeadline, withoutMissingGrades } from './scopes/missing_grades.ts'
import { casesLikeThese } from './scopes/similar_cases.ts'
import { theseCases } from './scopes/these_cases.ts'
import {
  describeDesign,
  readScopeRates,
  type SentenceContext,
  similarCasesSentence,
  theseCasesSentence,
} from './scopes/verdict_sentences.ts'
import { summarizeActivation } from './scores/activation.ts'
import { keepComparable } from './scores/case_scores.ts'
import { expectationRows } from './scores/expectations.ts'
import { correctForJudgeErrors } from './scores/judge_corrections.ts'
import { meanOverCases, passAtK, passHatK } from './scores/pass_k.ts'
import { buildArmRow, buildStatisticsCase, compareCases } from './scores/rows.ts'
import { type ScoredCase, scoredCases } from './scores/scored_runs.ts'
import { type StatisticsOptions, usualOptions } from './statistics_options.ts'
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
  const scopes = armNames(arms).length < 2 ? null : buildScopes(cases, options, { design, missing, arms })
  const { judge: errors, alpha } = options
  const difference = scopes?.these_cases.difference ?? null
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
    ratios: metricRatios(cases, options.alpha),
    ...(scopes !== null &&
      !isCalibration(arms) && { price: buildPrice(cases, { ...options, isIncomplete: missing !== null }) }),
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
    ...correctForJudgeErrors(cases, { arms, errors, alpha, difference }),
  }
}

function buildScopes(
  cases: readonly ScoredCase[],
  options: StatisticsOptions,
  { design, missing, arms }: { design: SentenceContext; missing: MissingGrades | null; arms: BenchmarkArms },
): { these_cases: Scope; cases_like_these: Scope } {
  const [own, similar] = [theseCases(cases, options), casesLikeThese(cases, options)]
  const rates = readScopeRates(own.difference, { cases: [] })
  const decide = (scope: Scope, open: string) =>
    withoutMissingGrades(withholdVerdict(scope, options.olderRuns), missing, open)
  return {
    these_cases: decide(
      { ...own, sentence: theseCasesSentence(own, rates, design) },
      missing === null ? '' : incompleteHeadline(missing, arms, options.olderRuns),
    ),
    cases_like_these: decide(
      { ...similar, sentence: similarCasesSentence(similar, own.verdict, design) },
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
