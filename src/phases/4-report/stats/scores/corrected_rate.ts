/** The pass rate of an arm, corrected for the judge's errors where the judge decided; other verdicts stay as they are. */
import { wilson } from '../distributions/binomial.ts'
import type { Interval } from '../numbers/interval.ts'
import { correctForJudge, type JudgeSample } from './judge_error.ts'
import type { JudgedParts } from './judged_parts.ts'

interface CorrectedRate extends Interval {
  rate: number
}

/**
 * null: the judge is not better than chance. Adding the ends of both parts' intervals is conservative, however the parts depend on each
 * other. Each part counts its runs, not its verdicts, because the verdicts of a run depend on each other.
 */
export function correctRate(parts: JudgedParts, judge: JudgeSample, alpha: number): CorrectedRate | null {
  const { judged, judgedMet, otherMet, judgedRuns, otherRuns } = parts
  const decided = 1 - judged
  const byJudge = judged === 0 ? nothing : correctForJudge({ rate: judgedMet / judged, n: judgedRuns, alpha }, judge)
  if (byJudge === null) return null
  const code = codePart({ rate: decided === 0 ? 0 : otherMet / decided, n: otherRuns, alpha })
  const both = (end: keyof CorrectedRate) => judged * byJudge[end] + decided * code[end]
  return { rate: both('rate'), low: both('low'), high: both('high') }
}

const nothing = { rate: 0, low: 0, high: 0 }

function codePart({ rate, n, alpha }: { rate: number; n: number; alpha: number }): CorrectedRate {
  return n === 0 ? nothing : { rate, ...wilson(rate * n, n, alpha) }
}
