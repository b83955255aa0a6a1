/** The scope of similar cases: the cases are a sample, paired by case. It needs at least 6 cases that differ, or 6 that differ by the same. */
import type { ScopeDifference } from '../../../../../schemas/benchmark_statistics.ts'
import { fewestSimilarCases, fewestVariedCases, smallestPValue } from '../../../../base/smallest_design.ts'
import { betaQuantile } from '../distributions/quantiles.ts'
import { clipInterval, type Interval } from '../numbers/describe.ts'
import { sampleMean, sampleVariance } from '../numbers/moments.ts'
import { round, roundPValue } from '../numbers/round.ts'
import { casesNeeded, usualSpread } from '../power/power.ts'
import { type CaseScores, keepComparable } from '../scores/case_scores.ts'
import { type StatisticsOptions, usualPower } from '../statistics_options.ts'
import { moderatedT } from '../tests/moderated_t.ts'
import { countDiscordant, countVerdicts, differenceOfMeans, isSpreadShown, pairedT } from '../tests/paired_t.ts'
import type { ScopeNumbers } from './these_cases.ts'
import { decideScope, describeArms, emptyDifference, shareBounds } from './verdict.ts'

const near = 1e-9

export function casesLikeThese(cases: readonly CaseScores[], options: StatisticsOptions): ScopeNumbers {
  const known = keepComparable(cases)
  const differences = known.map(differenceOfMeans)
  const difference = computeSampleDifference(known, differences, options.alpha)
  if (options.sequential !== null) return keepIntervalOnly(difference)
  const needed = neededCases(known, differences, options)
  if (difference.mean !== null && difference.method === null) {
    return {
      difference,
      verdict: 'inconclusive',
      rule: explainNoInterval(known, differences),
      needed_for_margin: needed,
    }
  }
  const decision = decideScope(difference, options)
  const isOpen = decision.verdict === 'inconclusive'
  return { difference, ...decision, needed_for_margin: isOpen ? needed : null }
}

function explainNoInterval(cases: readonly CaseScores[], differences: readonly number[]): string {
  if (differences.length < fewestSimilarCases) return `an interval needs at least ${fewestSimilarCases} cases`
  const discordant = countDiscordant(differences)
  if (discordant < fewestSimilarCases) return `an interval needs at least ${fewestSimilarCases} cases that differ`
  const verdicts = round(countVerdicts(cases), 1)
  return `with ${verdicts} ${verdicts === 1 ? 'verdict' : 'verdicts'} per case and configuration an interval needs at least ${fewestVariedCases(verdicts)} cases, or more runs`
}

/** A fixed-size test is invalid after interim analyses (simulated: test/slow), so only the interval is reported. */
function keepIntervalOnly(difference: ScopeDifference): ScopeNumbers {
  const rule = 'interim analyses ended the runs, so no fixed-sample test is valid for similar cases'
  const verdict = difference.mean === null ? 'not_comparable' : 'inconclusive'
  const untested = { ...difference, p_value: null, p_method: null }
  return { difference: untested, verdict, rule, needed_for_margin: null }
}

function computeSampleDifference(
  cases: readonly CaseScores[],
  differences: readonly number[],
  alpha: number,
): ScopeDifference {
  if (differences.length === 0) return emptyDifference(cases)
  const interval = sampleInterval(cases, alpha)
  return {
    ...describeArms(cases),
    ...(interval === null ? { ci_low: null, ci_high: null } : shareBounds(interval)),
    method: interval === null ? null : interval.method,
    p_value: interval === null ? null : roundPValue(Math.max(interval.pValue, smallestPValue(cases))),
    p_method: interval === null ? null : interval.method,
  }
}

/**
 * Interval and p-value from one procedure. t: at least 6 cases differ, and their means are fine enough. Bound: all differ by the same.
 * Cases that agree more closely than their runs do are a coincidence, so neither is
 * narrower than the interval on these cases. null: neither.
 */
export function sampleInterval(cases: readonly CaseScores[], alpha: number) {
  const found = intervalOverCases(cases, alpha)
  const own = found === null ? null : moderatedT(cases, { alpha })
  if (found === null || own === null) return found
  return {
    method: found.method,
    low: Math.min(found.low, own.low),
    high: Math.max(found.high, own.high),
    pValue: Math.max(found.pValue, own.pValue),
  }
}

function intervalOverCases(cases: readonly CaseScores[], alpha: number) {
  const differences = cases.map(differenceOfMeans)
  const n = differences.length
  if (n < fewestSimilarCases) return null
  const [first = 0] = differences
  if (differences.every((one) => Math.abs(one - first) <= near)) {
    return { ...caseBound(first, n, alpha), method: 'beta_bound' as const }
  }
  const t = isSpreadShown(cases) ? pairedT(differences, alpha) : null
  if (t === null || t.pValue === null) return null
  return { ...clipInterval(t, [-1, 1]), pValue: t.pValue, method: 'paired_t' as const }
}

const mostAdvised = 500

/** Further cases with which a difference of `margin` is found with the usual power; null: out of reach, or there are enough. */
function neededCases(
  cases: readonly CaseScores[],
  differences: readonly number[],
  { alpha, margin }: StatisticsOptions,
): number | null {
  const n = differences.length
  if (n === 0) return null
  const runs = Math.max(
    1,
    Math.round(sampleMean(cases.map((one) => Math.min(one.candidate.length, one.baseline.length)))),
  )
  // few cases give a poor variance, so the usual one is mixed in
  const usual = usualSpread.between + (usualSpread.candidate + usualSpread.baseline) / runs
  const spread = (sampleVariance(differences) * (n - 1) + usual * 2) / (n + 1)
  const none = { candidate: 0, baseline: 0 }
  const byPower = casesNeeded({ between: spread, ...none, runs, alpha, power: usualPower, detect: margin }) + 2
  const forDiscordant = (fewestSimilarCases * n) / Math.max(1, countDiscordant(differences))
  const needed = Math.ceil(Math.max(forDiscordant, fewestVariedCases(countVerdicts(cases)), byPower)) - n
  return needed < 1 || needed > mostAdvised ? null : needed
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
