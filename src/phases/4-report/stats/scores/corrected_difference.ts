/** The difference of the pass rates, corrected for the judge's errors, with an interval that carries what the labels leave open. */
import { normalQuantile } from '../distributions/quantiles.ts'
import { clipInterval, type Interval } from '../numbers/interval.ts'
import {
  correctShare,
  findJudgeSample,
  type JudgeErrors,
  type SmoothedErrors,
  smoothJudgeErrors,
} from './judge_error.ts'
import type { JudgedParts } from './judged_parts.ts'

interface Request {
  /** Of the same cases in both arms. */
  parts: { candidate: JudgedParts; baseline: JudgedParts }
  /** The difference as the judge gives it, with the interval of its runs. */
  judged: Interval & { mean: number }
  errors: JudgeErrors
  arms: { candidate: string; baseline: string }
  alpha: number
}

interface Side {
  rate: number
  errors: SmoothedErrors
  judged: number
  /** The change of the rate with the specificity and with the sensitivity. */
  bySpecificity: number
  bySensitivity: number
}

/**
 * Both sources of error add as variances: the runs' interval, widened as the correction widens the difference, and the labels' variance by
 * the delta method. Labels shared by both arms move both rates alike, so their slopes are subtracted before they are squared.
 * null: the judge is not better than chance.
 */
export function correctDifference(request: Request): (Interval & { mean: number }) | null {
  const { parts, judged, errors, arms, alpha } = request
  const a = correctSide(parts.candidate, errors, arms.candidate)
  const b = correctSide(parts.baseline, errors, arms.baseline)
  if (a === null || b === null) return null
  const mean = a.rate - b.rate
  const widened = Math.max(...[a, b].map((side) => (side.judged === 0 ? 1 : 1 / side.errors.slope)))
  const labels = normalQuantile(1 - alpha / 2) * Math.sqrt(labelVariance(a, b, errors.byConfiguration === null))
  const ends = clipInterval(
    {
      low: mean - Math.hypot((judged.mean - judged.low) * widened, labels),
      high: mean + Math.hypot((judged.high - judged.mean) * widened, labels),
    },
    [-1, 1],
  )
  return { mean, ...ends }
}

function correctSide({ judged, judgedMet, otherMet }: JudgedParts, errors: JudgeErrors, arm: string): Side | null {
  const sample = findJudgeSample(errors, arm)
  const smoothed = smoothJudgeErrors(sample)
  if (smoothed === null) return null
  const share = judged === 0 ? 0 : correctShare(judgedMet / judged, sample)
  return {
    rate: judged * share + otherMet,
    errors: smoothed,
    judged,
    bySpecificity: (judged * (1 - share)) / smoothed.slope,
    bySensitivity: (-judged * share) / smoothed.slope,
  }
}

function labelVariance(a: Side, b: Side, isPooled: boolean): number {
  const ofSide = ({ errors, bySpecificity, bySensitivity }: Omit<Side, 'rate' | 'judged'>) =>
    bySpecificity ** 2 * errors.variance.specificity + bySensitivity ** 2 * errors.variance.sensitivity
  if (!isPooled) return ofSide(a) + ofSide(b)
  return ofSide({
    errors: a.errors,
    bySpecificity: a.bySpecificity - b.bySpecificity,
    bySensitivity: a.bySensitivity - b.bySensitivity,
  })
}
