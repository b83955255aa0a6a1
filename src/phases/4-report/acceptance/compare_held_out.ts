/** Compares two versions on held-out cases: rates of both with intervals, the gain, and each case. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { HeldOutComparison } from '../../../../schemas/history/certification.ts'
import { wilson } from '../stats/distributions/binomial.ts'
import { sampleMean } from '../stats/numbers/moments.ts'
import { round } from '../stats/numbers/round.ts'
import { sampleInterval } from '../stats/scopes/similar_cases.ts'
import { type CaseScores, keepComparable } from '../stats/scores/case_scores.ts'
import { type ScoredRun, scoredCases } from '../stats/scores/scored_runs.ts'
import { moderatedT } from '../stats/tests/moderated_t.ts'
import { differenceOfMeans, pairedT } from '../stats/tests/paired_t.ts'
import { formatInterval, formatPlural, formatRates } from '../text/format.ts'

/** With fewer cases there is no claim about similar cases (statistics.md, 2.8). */
export const leastCases = 8

/** Of the intervals; the usual 95%. */
const intervalAlpha = 0.05

export interface ComparedVersions {
  /** The benchmark folder, relative to the workspace. */
  benchmark: string
  best: string
  /** `candidate`: the best version; `baseline`: v0. */
  cases: readonly PairedCase[]
}

/** The claim covers similar cases if there are enough and they show it; else these cases only. */
export function compareHeldOut({ benchmark, best, cases: all }: ComparedVersions): HeldOutComparison {
  const cases = keepComparable(all)
  const differences = cases.map(differenceOfMeans)
  const similar = cases.length < leastCases ? null : sampleInterval(cases, intervalAlpha)
  const interval = moderatedT(cases, { alpha: intervalAlpha })
  return {
    benchmark,
    best,
    v0: estimateRate(cases.map((one) => one.baseline)),
    candidate: estimateRate(cases.map((one) => one.candidate)),
    gain: {
      mean: cases.length === 0 ? 0 : round(sampleMean(differences), 6),
      ci_low: interval === null ? null : round(interval.low, 6),
      ci_high: interval === null ? null : round(interval.high, 6),
      method: interval === null ? null : 'moderated_t',
      n_cases: cases.length,
      n_runs: cases.reduce((sum, one) => sum + one.candidate.length + one.baseline.length, 0),
    },
    cases: cases.map(({ evalId, candidate, baseline }) => ({
      eval_id: evalId,
      v0: round(sampleMean(baseline), 6),
      candidate: round(sampleMean(candidate), 6),
    })),
    scope: similar !== null && similar.low > 0 ? 'cases_like_these' : 'these_cases',
  }
}

/** "pass rate 68% with v2, 41% with v0: +27 points, 95% CI [12, 42] (12 cases, 124 runs)". */
export function formatGain({ best, v0, candidate, gain }: HeldOutComparison, p = ''): string {
  const shown = formatRates(candidate.mean, v0.mean)
  const interval = formatInterval(gain, intervalAlpha)
  const numbers = [`${shown.difference} points`, interval, p].filter((part) => part !== '').join(', ')
  const size = `${formatPlural(gain.n_cases, 'case')}, ${formatPlural(gain.n_runs, 'run')}`
  return `pass rate ${shown.candidate} with ${best}, ${shown.baseline} with v0: ${numbers} (${size})`
}

function estimateRate(cells: readonly (readonly number[])[]): HeldOutComparison['v0'] {
  if (cells.length === 0) return { mean: 0, ci_low: null, ci_high: null }
  const means = cells.map(sampleMean)
  const t = cells.length >= leastCases ? pairedT(means, intervalAlpha) : null
  const count = cells.flat().length
  const { low, high } = t !== null && t.standardError > 0 ? t : wilson(sampleMean(means) * count, count, intervalAlpha)
  return {
    mean: round(sampleMean(means), 6),
    ci_low: round(Math.max(0, low), 6),
    ci_high: round(Math.min(1, high), 6),
  }
}

interface Sides<T> {
  candidate: readonly T[]
  baseline: readonly T[]
}

/** `baseline` is v0. All lists are for the same runs, in the same order. */
export interface PairedCase extends CaseScores {
  evalId: number
  /** Whether the run passed every expectation. */
  passed: Sides<boolean>
  seconds: Sides<number | null>
  usd: Sides<number | null>
  tokens: Sides<number | null>
}

/** The cases of a benchmark of two versions. */
export function pairCases(
  { runs }: Pick<Benchmark, 'runs'>,
  arms: { candidate: string; baseline: string },
): PairedCase[] {
  return scoredCases(runs, arms).map(({ runs: made, ...one }) => {
    const of = <T>(value: (run: ScoredRun) => T): Sides<T> => ({
      candidate: made.candidate.map(value),
      baseline: made.baseline.map(value),
    })
    return {
      ...one,
      passed: of(({ allPassed }) => allPassed),
      seconds: of(({ run }) => run.result.time_seconds ?? null),
      usd: of(({ run }) => run.result.cost_usd ?? null),
      tokens: of(({ run }) => run.result.tokens ?? null),
    }
  })
}
