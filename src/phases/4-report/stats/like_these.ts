/** The scope of cases like these: the cases as a sample, paired by case. Offered from 5 cases on, and only when enough of them differ. */
import type { ScopeDifference } from '../../../../schemas/benchmark_statistics.ts'
import { caseBound } from './case_bound.ts'
import { type CaseScores, comparable } from './case_scores.ts'
import { casesForGrain, isFineBetween, verdictsOf } from './grain.ts'
import { clip } from './interval.ts'
import { meanOf, varianceOf } from './moments.ts'
import { type StatisticsOptions, usualPower } from './options.ts'
import { pairedT } from './paired_t.ts'
import { casesNeeded, usualSpread } from './power.ts'
import { round } from './round.ts'
import { signFlip } from './sign_flip.ts'
import type { ScopeNumbers } from './these_cases.ts'
import { decide } from './verdict.ts'

const leastCases = 5
/** Five that differ reach no p ≤ .05 by sign flip: 2/2^5 = .0625. */
const leastDiscordant = 6
const near = 1e-9

export function casesLikeThese(cases: readonly CaseScores[], options: StatisticsOptions): ScopeNumbers {
  const known = comparable(cases)
  const differences = known.map(differenceOfMeans)
  const discordant = differences.filter((one) => Math.abs(one) > near).length
  const difference = differenceOf(known, differences, options)
  if (options.sequential !== null) return besideLooks(difference)
  const needed = neededCases(known, differences, options)
  const short = Math.min(differences.length - leastCases, discordant - leastDiscordant) < 0
  if (short && difference.method !== 'beta_bound') {
    const rule =
      differences.length < leastCases
        ? `${differences.length} cases; an interval is offered from ${leastCases} on`
        : `${discordant} cases differ; below ${leastDiscordant} nothing can be concluded`
    return { difference, verdict: 'inconclusive', rule, needed }
  }
  if (difference.method === null) {
    const verdicts = round(verdictsOf(known), 1)
    const rule = `${differences.length} cases of ${verdicts} ${verdicts === 1 ? 'verdict' : 'verdicts'} an arm each are too coarse for an interval: ${casesForGrain(verdicts)} cases would do, or more runs`
    return { difference, verdict: 'inconclusive', rule, needed }
  }
  const decision = decide(difference, options)
  return { difference, ...decision, needed: decision.verdict === 'inconclusive' ? needed : null }
}

/** A test of fixed size does not hold where looks ended the runs (simulated: test/slow): the interval stands beside them. */
function besideLooks(difference: ScopeDifference): ScopeNumbers {
  const rule =
    'looks at these cases decided when the runs ended, so that no test of fixed size holds for cases like these'
  return { difference: { ...difference, p_value: null, p_method: null }, verdict: 'inconclusive', rule, needed: null }
}

function differenceOf(
  cases: readonly CaseScores[],
  differences: readonly number[],
  { alpha, seed }: StatisticsOptions,
): ScopeDifference {
  const n = differences.length
  const n_runs = cases.reduce((sum, one) => sum + one.candidate.length + one.baseline.length, 0)
  const none = { mean: null, ci_low: null, ci_high: null, method: null, p_value: null, p_method: null }
  if (n === 0) return { ...none, n_cases: 0, n_runs }
  const { pValue, method } = signFlip(differences, seed)
  const interval = sampleInterval(cases, alpha)
  return {
    mean: round(meanOf(differences), 6),
    ci_low: interval === null ? null : round(interval.low, 6),
    ci_high: interval === null ? null : round(interval.high, 6),
    method: interval === null ? null : interval.method,
    p_value: round(pValue, 6),
    p_method: `sign_flip_${method}`,
    n_cases: n,
    n_runs,
  }
}

/**
 * Of comparable cases: t where at least 6 differ (5 of 5 in the smallest suites) and their means are fine enough, a bound where
 * all differ by the same, else none.
 */
export function sampleInterval(cases: readonly CaseScores[], alpha: number) {
  const differences = cases.map(differenceOfMeans)
  const n = differences.length
  if (n < leastCases) return null
  const [first = 0] = differences
  if (differences.every((one) => Math.abs(one - first) <= near)) {
    return { ...caseBound(first, n, alpha), method: 'beta_bound' as const }
  }
  const discordant = differences.filter((one) => Math.abs(one) > near).length
  const t = pairedT(differences, alpha)
  if (t === null || discordant < Math.min(leastDiscordant, Math.max(n, leastCases))) return null
  return isFineBetween(cases) ? { ...clip(t, [-1, 1]), method: 'paired_t' as const } : null
}

function differenceOfMeans({ candidate, baseline }: CaseScores): number {
  return meanOf(candidate) - meanOf(baseline)
}

/** Cases more that would find the difference as it was seen; null where it is so small that they are out of reach. */
function neededCases(
  cases: readonly CaseScores[],
  differences: readonly number[],
  { alpha }: StatisticsOptions,
): number | null {
  const n = differences.length
  if (n === 0) return null
  const detect = Math.abs(meanOf(differences))
  if (detect < 0.02) return null
  const runs = Math.max(1, Math.round(meanOf(cases.map((one) => Math.min(one.candidate.length, one.baseline.length)))))
  // The spread of very few differences says little: then what is usual stands beside it.
  const usual = usualSpread.between + (usualSpread.candidate + usualSpread.baseline) / runs
  const spread =
    n >= leastDiscordant ? varianceOf(differences) : (varianceOf(differences) * (n - 1) + usual * 2) / (n + 1)
  const byPower =
    casesNeeded({ between: spread, candidate: 0, baseline: 0, runs, alpha, power: usualPower, detect }) + 2
  const discordant = differences.filter((one) => Math.abs(one) > near).length
  const wanted = Math.max(
    leastDiscordant,
    casesForGrain(verdictsOf(cases)),
    Math.ceil(byPower),
    Math.ceil((leastDiscordant * n) / Math.max(1, discordant)),
  )
  return wanted > 500 ? null : Math.max(1, wanted - n)
}
