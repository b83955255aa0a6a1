/** The scope of similar cases: the cases are a sample, paired by case. It needs at least 6 cases that differ, or 6 that differ by the same. */
import type { ScopeDifference } from '../../../../../schemas/benchmark_statistics.ts'
import { fewestSimilarCases, fewestVariedCases } from '../../../../base/smallest_design.ts'
import { betaQuantile } from '../distributions/quantiles.ts'
import { clipInterval, type Interval } from '../numbers/describe.ts'
import { sampleMean, sampleVariance } from '../numbers/moments.ts'
import { round, roundPValue } from '../numbers/round.ts'
import { casesNeeded, usualSpread } from '../power/power.ts'
import { type CaseScores, keepComparable } from '../scores/case_scores.ts'
import { type StatisticsOptions, usualPower } from '../statistics_options.ts'
import { pairedT } from '../tests/paired_t.ts'
import { signFlip } from '../tests/sign_flip.ts'
import type { ScopeNumbers } from './these_cases.ts'
import { decideScope, describeArms, emptyDifference, shareBounds } from './verdict.ts'

const near = 1e-9

export function casesLikeThese(cases: readonly CaseScores[], options: StatisticsOptions): ScopeNumbers {
  const known = keepComparable(cases)
  const differences = known.map(differenceOfMeans)
  const difference = computeSampleDifference(known, differences, options)
  if (options.sequential !== null) return keepIntervalOnly(difference)
  const range = neededCases(known, differences, options)
  const needed = { needed: range?.high ?? null, needed_low: range?.low ?? null }
  if (difference.mean !== null && difference.method === null) {
    return { difference, verdict: 'inconclusive', rule: explainNoInterval(known, differences), ...needed }
  }
  const decision = decideScope(difference, options)
  const isOpen = decision.verdict === 'inconclusive'
  return { difference, ...decision, ...(isOpen ? needed : { needed: null, needed_low: null }) }
}

function explainNoInterval(cases: readonly CaseScores[], differences: readonly number[]): string {
  if (differences.length < fewestSimilarCases) return `an interval needs at least ${fewestSimilarCases} cases`
  const discordant = countDiscordant(differences)
  if (discordant < fewestSimilarCases) return `an interval needs at least ${fewestSimilarCases} cases that differ`
  const verdicts = round(countVerdicts(cases), 1)
  return `with ${verdicts} ${verdicts === 1 ? 'verdict' : 'verdicts'} per case and configuration an interval needs at least ${fewestVariedCases(verdicts)} cases, or more runs`
}

function countDiscordant(differences: readonly number[]): number {
  return differences.filter((one) => Math.abs(one) > near).length
}

/** A fixed-size test is invalid after interim analyses (simulated: test/slow), so only the interval is reported. */
function keepIntervalOnly(difference: ScopeDifference): ScopeNumbers {
  const rule = 'interim analyses ended the runs, so no fixed-sample test is valid for similar cases'
  const verdict = difference.mean === null ? 'not_comparable' : 'inconclusive'
  const untested = { ...difference, p_value: null, p_method: null }
  return { difference: untested, verdict, rule, needed: null, needed_low: null }
}

function computeSampleDifference(
  cases: readonly CaseScores[],
  differences: readonly number[],
  { alpha, seed }: StatisticsOptions,
): ScopeDifference {
  if (differences.length === 0) return emptyDifference(cases)
  const exact = signFlip(differences, seed)
  const interval = sampleInterval(cases, alpha)
  return {
    ...describeArms(cases),
    ...(interval === null ? { ci_low: null, ci_high: null } : shareBounds(interval)),
    method: interval === null ? null : interval.method,
    p_value: interval === null ? null : roundPValue(interval.pValue),
    p_method: interval === null ? null : interval.method,
    p_exact: roundPValue(exact.pValue),
    p_exact_method: `sign_flip_${exact.method}`,
  }
}

/**
 * Interval and p-value from one procedure. t: at least 6 cases differ, and their means are fine enough. Bound: all differ by the same.
 * null: neither.
 */
export function sampleInterval(cases: readonly CaseScores[], alpha: number) {
  const differences = cases.map(differenceOfMeans)
  const n = differences.length
  if (n < fewestSimilarCases) return null
  const [first = 0] = differences
  if (differences.every((one) => Math.abs(one - first) <= near)) {
    return { ...caseBound(first, n, alpha), method: 'beta_bound' as const }
  }
  const t = pairedT(differences, alpha)
  if (t === null || t.pValue === null || countDiscordant(differences) < fewestSimilarCases) return null
  if (!isFineBetweenCases(cases)) return null
  return { ...clipInterval(t, [-1, 1]), pValue: t.pValue, method: 'paired_t' as const }
}

function differenceOfMeans({ candidate, baseline }: CaseScores): number {
  return sampleMean(candidate) - sampleMean(baseline)
}

/** The fewest cases whose bound leaves 0 out if all differ by `common`. */
function casesForBound(common: number, alpha: number): number {
  return Math.ceil(Math.log(1 / alpha) / Math.log1p(Math.abs(common))) - 1
}

/** Further cases that make the observed difference significant: in half of the benchmarks, and with the usual power. null: out of reach. */
function neededCases(
  cases: readonly CaseScores[],
  differences: readonly number[],
  { alpha }: StatisticsOptions,
): { low: number; high: number } | null {
  const n = differences.length
  if (n === 0) return null
  const detect = Math.abs(sampleMean(differences))
  if (detect < 0.02) return null
  const runs = Math.max(
    1,
    Math.round(sampleMean(cases.map((one) => Math.min(one.candidate.length, one.baseline.length)))),
  )
  const [first = 0] = differences
  const isUniform = differences.every((one) => Math.abs(one - first) <= near)
  // few differences, or equal ones, give a poor variance, so the usual one is mixed in
  const usual = usualSpread.between + (usualSpread.candidate + usualSpread.baseline) / runs
  const spread =
    n >= fewestSimilarCases && !isUniform
      ? sampleVariance(differences)
      : (sampleVariance(differences) * (n - 1) + usual * 2) / (n + 1)
  const least = Math.max(
    isUniform ? casesForBound(first, alpha) : 0,
    fewestSimilarCases,
    Math.ceil((fewestSimilarCases * n) / Math.max(1, countDiscordant(differences))),
    n + 1,
  )
  const forVaried = fewestVariedCases(countVerdicts(cases))
  // further cases may also differ by the same, and then fewer are enough
  const [low, high] = [0.5, usualPower].map((power) => {
    const byPower = casesNeeded({ between: spread, candidate: 0, baseline: 0, runs, alpha, power, detect }) + 2
    const isLuckiest = isUniform && power < usualPower
    return Math.max(least, isLuckiest ? 0 : forVaried, Math.ceil(byPower)) - n
  })
  return low === undefined || high === undefined || high + n > 500 ? null : { low, high }
}

/**
 * Assumes a uniform prior, Beta(1, 1), on the share of cases that differ by anything else (from −1 to 1). After n cases that all differ by
 * `common`, this share is below q with probability 1 − alpha.
 */
export function caseBound(common: number, n: number, alpha: number): Interval & { pValue: number } {
  const share = betaQuantile(1 - alpha, 1, n + 1)
  const ends = { low: common * (1 - share) - share, high: common * (1 - share) + share }
  // the alpha at which the bound touches 0: share = |common| / (1 + |common|)
  return { ...clipInterval(ends, [-1, 1]), pValue: (1 + Math.abs(common)) ** -(n + 1) }
}

/**
 * Verdicts per case and arm, the harmonic mean over the cases: runs × expectations. If every score is 0 or 1, a run's expectations count as
 * one, because they agree.
 */
export function countVerdicts(cases: readonly CaseScores[]): number {
  const scores = new Set<number>()
  for (const { candidate, baseline } of cases) {
    for (const one of candidate) scores.add(one)
    for (const one of baseline) scores.add(one)
  }
  const isAllOrNothing = [...scores].every((one) => one === 0 || one === 1)
  const usual = Math.max(1, scores.size - 1)
  let inverse = 0
  for (const { candidate, baseline, expectations = usual } of cases) {
    inverse += 1 / (Math.min(candidate.length, baseline.length) * (isAllOrNothing ? 1 : Math.max(1, expectations)))
  }
  return cases.length / inverse
}

/** Whether the cases that differ are not a lucky selection, so that their t interval keeps its coverage. */
export function isFineBetweenCases(cases: readonly CaseScores[]): boolean {
  return cases.length >= fewestVariedCases(countVerdicts(cases))
}
