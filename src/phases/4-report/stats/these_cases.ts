/** The scope of these cases: the cases are fixed, their runs vary. What can be said of a suite of any size, given runs enough. */
import type { Scope, ScopeDifference } from '../../../../schemas/benchmark_statistics.ts'
import { type CaseScores, comparable } from './case_scores.ts'
import { bettingDifference } from './confidence_sequence.ts'
import { boundaryAlpha, countPairs, eValue } from './e_value.ts'
import { meanOf, varianceOf } from './moments.ts'
import { type StatisticsOptions, usualPower } from './options.ts'
import { blocksOf, type Pair } from './pairs.ts'
import { permuteWithinCases } from './permutation.ts'
import { runsNeeded } from './power.ts'
import { round } from './round.ts'
import { type Decision, decide } from './verdict.ts'
import { withinInterval } from './within.ts'

export type ScopeNumbers = Omit<Scope, 'sentence'>

export function theseCases(cases: readonly CaseScores[], options: StatisticsOptions): ScopeNumbers {
  const known = comparable(cases)
  const { difference, ...decision } = options.sequential !== null ? anytime(known, options) : fixedSize(known, options)
  const needed = decision.verdict === 'inconclusive' ? neededRuns(known, options) : null
  return { difference, ...decision, needed }
}

function counts(cases: readonly CaseScores[]): Pick<ScopeDifference, 'n_cases' | 'n_runs'> {
  const runs = cases.reduce((sum, one) => sum + one.candidate.length + one.baseline.length, 0)
  return { n_cases: cases.length, n_runs: runs }
}

const nothing = { mean: null, ci_low: null, ci_high: null, method: null, p_value: null, p_method: null }

type Decided = Decision & { difference: ScopeDifference }

function fixedSize(cases: readonly CaseScores[], options: StatisticsOptions): Decided {
  const interval = withinInterval(cases, options.alpha)
  if (interval === null) return undecided(cases, options)
  const { pValue, method } = permuteWithinCases(cases, options.seed)
  const difference: ScopeDifference = {
    mean: round(interval.mean, 6),
    ci_low: round(interval.low, 6),
    ci_high: round(interval.high, 6),
    method: interval.method,
    p_value: round(pValue, 6),
    p_method: `permutation_${method}`,
    ...counts(cases),
  }
  return { difference, ...decide(difference, options) }
}

function undecided(cases: readonly CaseScores[], options: StatisticsOptions): Decided {
  const difference = { ...nothing, ...counts(cases) }
  return { difference, ...decide(difference, options) }
}

/**
 * The e-value of the pairs of the finished blocks decides alone; its interval, of the blocks that lack no pair and wide after
 * few of them, stands beside it.
 */
export function anytime(cases: readonly CaseScores[], options: StatisticsOptions): Decided {
  const { pairs, whole } = blocksOf(cases, options.sequential?.finished ?? 0)
  if (pairs.length === 0) return undecided(cases, options)
  const means = whole.map((block) => meanOf(block.map(differenceOf)))
  const interval = means.length === 0 ? null : bettingDifference(means, options.alpha)
  const mean = meanOf(means.length === 0 ? pairs.map(differenceOf) : means)
  const { wins, losses } = countPairs(pairs)
  const evidence = eValue(wins, losses, 2)
  const difference: ScopeDifference = {
    mean: round(mean, 6),
    ci_low: interval === null ? null : round(interval.low, 6),
    ci_high: interval === null ? null : round(interval.high, 6),
    method: interval === null ? null : 'betting_sequence',
    p_value: round(Math.min(1, 1 / evidence), 6),
    p_method: 'e_value',
    n_cases: cases.length,
    n_runs: 2 * pairs.length,
  }
  const agrees = (wins - losses) * mean > 0
  if (evidence < 1 / options.alpha || !agrees) return { difference, ...decide({ ...difference, p_value: 1 }, options) }
  const rule = `the e-value of the pairs is ≥ ${round(1 / options.alpha, 2)}, at any look after a whole block`
  return { difference, verdict: wins > losses ? 'helps' : 'hurts', rule }
}

function differenceOf({ candidate, baseline }: Pair): number {
  return candidate - baseline
}

/** Runs a case and arm, all told, that would find the difference as it was seen; null where they are out of reach. */
function neededRuns(cases: readonly CaseScores[], { alpha, sequential }: StatisticsOptions): number | null {
  const interval = withinInterval(cases, alpha)
  if (interval === null || interval.standardError === null || Math.abs(interval.mean) < 0.02) return null
  const spread = (side: 'candidate' | 'baseline') => meanOf(cases.map((one) => varianceOf(one[side])))
  const [candidate, baseline] = [spread('candidate'), spread('baseline')]
  const detect = Math.abs(interval.mean)
  const ofSize = (size: number) =>
    runsNeeded({ between: 0, candidate, baseline, cases: cases.length, detect, alpha: size, power: usualPower })
  const fixed = ofSize(alpha)
  // looks ask for more than a test of fixed size: as much as so many unequal pairs would
  const unequal = (candidate + baseline) * cases.length * (fixed ?? 0)
  const found = sequential === null ? fixed : ofSize(boundaryAlpha(Math.max(unequal, 10), alpha) ?? alpha)
  return found === null || found > 500 ? null : Math.max(2, Math.ceil(found))
}
