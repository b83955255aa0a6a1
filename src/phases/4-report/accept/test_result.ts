/** The one look at the test cases: v0 and the best side by side with intervals, beside what validation had said. */
import type { History } from '../../../../schemas/history.ts'
import { wilson } from '../stats/binomial.ts'
import { comparable } from '../stats/case_scores.ts'
import { meanOf } from '../stats/moments.ts'
import { pairedT } from '../stats/paired_t.ts'
import { round } from '../stats/round.ts'
import { withinInterval } from '../stats/within.ts'
import type { MetCase } from './met_case.ts'
import { leastCases, points } from './verdict.ts'

type TestResult = NonNullable<History['test']>

export interface Tested {
  benchmark: string
  best: string
  cases: readonly MetCase[]
  /** What the gates said from v0 to the best, added up. */
  validationGain: number
}

export function testResult({ benchmark, best, cases: all, validationGain }: Tested): TestResult {
  const cases = comparable(all)
  const differences = cases.map(({ candidate, baseline }) => meanOf(candidate) - meanOf(baseline))
  const t = cases.length >= leastCases ? pairedT(differences, 0.05) : null
  const within = withinInterval(cases, 0.05)
  const interval = t !== null && t.standardError > 0 ? t : within
  const mean = differences.length === 0 ? 0 : meanOf(differences)
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
      method: interval === null ? null : interval === t ? 'paired_t' : (within?.method ?? null),
      n_cases: cases.length,
      n_runs: runs,
    },
    scope: interval !== null && interval === t ? 'cases_like_these' : 'these_cases',
    validation_gain: round(validationGain, 6),
    sentence: `validation said ${points(validationGain)}, test says ${points(mean)}${said}`,
  }
}

function plain(share: number): string {
  return points(share).replace('+', '')
}

function estimate(cells: readonly (readonly number[])[]) {
  if (cells.length === 0) return { mean: 0, ci_low: null, ci_high: null }
  const means = cells.map(meanOf)
  const t = cells.length >= leastCases ? pairedT(means, 0.05) : null
  const runs = cells.flat()
  const { low, high } = t !== null && t.standardError > 0 ? t : wilson(meanOf(means) * runs.length, runs.length, 0.05)
  const [ci_low, ci_high] = [round(Math.max(0, low), 6), round(Math.min(1, high), 6)]
  return { mean: round(meanOf(means), 6), ci_low, ci_high }
}
