/** The one use of the test cases: v0 and the best version with intervals, next to the gain that validation reported. */
import type { History } from '../../../../schemas/history.ts'
import { wilson } from '../stats/distributions/binomial.ts'
import { sampleMean } from '../stats/numbers/moments.ts'
import { round } from '../stats/numbers/round.ts'
import { keepComparable } from '../stats/scores/case_scores.ts'
import { moderatedT } from '../stats/tests/moderated_t.ts'
import { pairedT } from '../stats/tests/paired_t.ts'
import { formatPointChange, leastCases } from './candidate_verdict.ts'
import type { PairedCase } from './compared_case.ts'

type TestResult = NonNullable<History['test']>

export interface TestComparison {
  benchmark: string
  best: string
  cases: readonly PairedCase[]
  /** The sum of the gains that the gates reported from v0 to the best. */
  validationGain: number
}

export function buildTestResult({ benchmark, best, cases: all, validationGain }: TestComparison): TestResult {
  const cases = keepComparable(all)
  const differences = cases.map(({ candidate, baseline }) => sampleMean(candidate) - sampleMean(baseline))
  const t = cases.length >= leastCases ? pairedT(differences, 0.05) : null
  const within = moderatedT(cases, { alpha: 0.05 })
  const interval = t !== null && t.standardError > 0 ? t : within
  const mean = differences.length === 0 ? 0 : sampleMean(differences)
  const ends = interval === null ? null : { low: Math.max(-1, interval.low), high: Math.min(1, interval.high) }
  const runs = cases.reduce((sum, one) => sum + one.candidate.length + one.baseline.length, 0)
  const said = ends === null ? '' : ` [${plain(ends.low)}, ${plain(ends.high)}]`
  return {
    benchmark,
    best,
    v0: estimate(cases.map((one) => one.baseline)),
    candidate: estimate(cases.map((one) => one.candidate)),
    gain: {
      mean: round(mean, 6),
      ci_low: ends === null ? null : round(ends.low, 6),
      ci_high: ends === null ? null : round(ends.high, 6),
      method: interval === null ? null : interval === t ? 'paired_t' : 'moderated_t',
      n_cases: cases.length,
      n_runs: runs,
    },
    scope: interval !== null && interval === t ? 'cases_like_these' : 'these_cases',
    validation_gain: round(validationGain, 6),
    sentence: `gain on validation ${formatPointChange(validationGain)}, on test ${formatPointChange(mean)}${said}`,
  }
}

function plain(share: number): string {
  return formatPointChange(share).replace('+', '')
}

function estimate(cells: readonly (readonly number[])[]) {
  if (cells.length === 0) return { mean: 0, ci_low: null, ci_high: null }
  const means = cells.map(sampleMean)
  const t = cells.length >= leastCases ? pairedT(means, 0.05) : null
  const runs = cells.flat()
  const { low, high } =
    t !== null && t.standardError > 0 ? t : wilson(sampleMean(means) * runs.length, runs.length, 0.05)
  const [ci_low, ci_high] = [round(Math.max(0, low), 6), round(Math.min(1, high), 6)]
  return { mean: round(sampleMean(means), 6), ci_low, ci_high }
}
