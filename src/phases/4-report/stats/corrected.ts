/** The rate of an arm with the judge's share of it corrected for the judge's errors; what code (or the clock) decided stays. */
import type { GradedExpectation } from '../../../../schemas/grading.ts'
import { wilson } from './binomial.ts'
import { indicatorOf } from './indicators.ts'
import type { Interval } from './interval.ts'
import { correctForJudge, type JudgeSample } from './judge_error.ts'
import { meanOf } from './moments.ts'
import type { ScoredRun } from './scored.ts'

interface CorrectedRate extends Interval {
  rate: number
  /** Share of the rate that the judge decided, 0 to 1. */
  judged: number
}

interface Request {
  judge: JudgeSample
  alpha: number
  /** As for the scores: which statements are indicators. */
  byRule: boolean
}

/**
 * `own`: the runs of each case of the arm, none empty. Null where the judge is no better than chance, or a run has no list
 * of verdicts. The ends of both parts' intervals are added up, which is never too narrow whatever the parts have to do with
 * each other.
 */
export function correctedRate(own: readonly (readonly ScoredRun[])[], { judge, alpha, byRule }: Request) {
  const cases = own.map((runs) => runs.map(({ run }) => partsOf(run.expectations, byRule)))
  const runs = cases.flat()
  if (runs.length === 0 || runs.some((one) => one === null)) return null
  const known = cases.map((some) => some.flatMap((one) => one ?? []))
  const mean = (of: (one: Parts) => number) => meanOf(known.map((some) => meanOf(some.map(of))))
  const judged = mean((one) => one.judged)
  const decided = 1 - judged
  const numberOf = (has: (one: Parts) => boolean) => known.flat().filter(has).length
  const byJudge =
    judged === 0
      ? nothing
      : correctForJudge(
          { rate: mean((one) => one.judgedMet) / judged, n: numberOf((one) => one.judged > 0), alpha },
          judge,
        )
  if (byJudge === null) return null
  const code = codePart({
    rate: decided === 0 ? 0 : mean((one) => one.otherMet) / decided,
    n: numberOf((one) => one.judged < 1),
    alpha,
  })
  const both = (end: 'rate' | 'low' | 'high') => judged * byJudge[end] + decided * code[end]
  return { rate: both('rate'), low: both('low'), high: both('high'), judged } satisfies CorrectedRate
}

const nothing = { rate: 0, low: 0, high: 0 }

function codePart({ rate, n, alpha }: { rate: number; n: number; alpha: number }) {
  return n === 0 ? nothing : { rate, ...wilson(rate * n, n, alpha) }
}

/** Shares of a run's counted statements. */
interface Parts {
  /** Decided by the judge. */
  judged: number
  /** Of all: by the judge, and met. */
  judgedMet: number
  /** Of all: not by the judge, and met. */
  otherMet: number
}

function partsOf(expectations: readonly GradedExpectation[], byRule: boolean): Parts | null {
  const counted = expectations.filter((one) => indicatorOf(one, byRule) === null)
  if (counted.length === 0) return null
  const share = (has: (one: GradedExpectation) => boolean) => counted.filter(has).length / counted.length
  const isJudged = (one: GradedExpectation) => one.decided_by === 'judge'
  return {
    judged: share(isJudged),
    judgedMet: share((one) => isJudged(one) && one.passed),
    otherMet: share((one) => !isJudged(one) && one.passed),
  }
}
