/** build: from the graded runs of a benchmark to its `statistics`. */
import type { BenchmarkRun } from '../../../../schemas/benchmark.ts'
import type { Scope, Statistics, StatisticsExpectation, Until } from '../../../../schemas/benchmark_statistics.ts'
import { type Arms, armNames, meetingOf } from '../arms.ts'
import { activationOf } from './activation.ts'
import { comparable } from './case_scores.ts'
import { correctedRate } from './corrected.ts'
import { detectable } from './detectable.ts'
import { expectationRows } from './expectations.ts'
import { casesLikeThese } from './like_these.ts'
import { metricRatios } from './metric_ratios.ts'
import { type StatisticsOptions, usualOptions } from './options.ts'
import { meanOverCases, passAtK, passHatK } from './pass_k.ts'
import { round } from './round.ts'
import { armRow, caseRow, comparisons } from './rows.ts'
import { rulesApply, type ScoredCase, type ScoredRun, scoredCases } from './scored.ts'
import { likeTheseSentence, type Told, theseCasesSentence } from './sentence.ts'
import { theseCases } from './these_cases.ts'
import { untilDecided } from './until.ts'

/** Pure; the order of the runs does not matter. `changes` to the usual options. */
export function buildStatistics(
  runs: readonly BenchmarkRun[],
  arms: Arms,
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
  const corrected = byArm((own) => correctedArm(own, rulesApply(arms), options))
  return {
    schema_version: 1,
    alpha: options.alpha,
    seed: options.seed,
    margin: options.margin,
    scopes: armNames(arms).length < 2 ? null : scopesOf(cases, { arms, options, expectations, until }),
    arms: byArm((own) => armRow(own, options.alpha)),
    cases: cases.map((one) => caseRow(one, options.alpha)),
    pass_at_k: byArm((own) => rounded(meanOverCases(tallies(own), passAtK))),
    pass_hat_k: byArm((own) => rounded(meanOverCases(tallies(own), passHatK))),
    ratios: metricRatios(cases, options.alpha),
    mde: detectable(cases, options),
    ...(until && { until }),
    noise: options.noise,
    activation: activationOf(cases, arms),
    expectations,
    comparisons: comparisons(cases),
    judge: options.judge === null ? null : known(corrected),
  }
}

function scopesOf(
  cases: readonly ScoredCase[],
  at: { arms: Arms; options: StatisticsOptions; expectations: readonly StatisticsExpectation[]; until: Until | null },
): { these_cases: Scope; cases_like_these: Scope } {
  const { options } = at
  const [own, sample] = [theseCases(cases, options), casesLikeThese(cases, options)]
  const runs = comparable(cases).flatMap((one) => [one.candidate.length, one.baseline.length])
  const told: Told = {
    meet: meetingOf(at.arms),
    candidate: at.arms.candidate ?? '',
    runs: [Math.min(...runs), Math.max(...runs)],
    margin: options.margin,
    indicators: at.expectations.filter(({ indicator }) => indicator !== null).length,
    noise: options.noise,
    until: at.until,
  }
  return {
    these_cases: { ...own, sentence: theseCasesSentence(own, told) },
    cases_like_these: { ...sample, sentence: likeTheseSentence(sample, told) },
  }
}

function rounded(found: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(found).map(([k, value]) => [k, round(value, 6)]))
}

/** The share of expectations met as people would say; null: the judge's errors are not known, or leave nothing to say. */
function correctedArm(own: readonly (readonly ScoredRun[])[], byRule: boolean, options: StatisticsOptions) {
  const { judge, alpha } = options
  const found = judge && correctedRate(own, { judge, alpha, byRule })
  if (found === null) return null
  const at = (value: number) => round(value, 6)
  const { rate, low, high, judged } = found
  return { rate: at(rate), ci_low: at(low), ci_high: at(high), judged_share: at(judged), method: 'lee' as const }
}

function known<T>(byArm: Readonly<Record<string, T | null>>): Record<string, T> {
  return Object.fromEntries(Object.entries(byArm).flatMap(([arm, found]) => (found === null ? [] : [[arm, found]])))
}
